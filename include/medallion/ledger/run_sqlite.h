// Running the pack on SQLite: its store is compiled once, in medallion::ledger_sqlite, see run.h.
#pragma once

#include "medallion/io/sqlite_store.h"
#include "medallion/ledger/run.h"

namespace medallion {

extern template class SqliteStore<ledger::Ledger>;

}  // namespace medallion
