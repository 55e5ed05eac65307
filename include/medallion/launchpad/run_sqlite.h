// Running the pack on SQLite: its store is compiled once, in medallion::launchpad_sqlite, see run.h.
#pragma once

#include "medallion/io/sqlite_store.h"
#include "medallion/launchpad/run.h"

namespace medallion {

extern template class SqliteStore<launchpad::Launches>;

}  // namespace medallion
