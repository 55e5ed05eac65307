// Running the pack on SQLite: its store is compiled once, in medallion::ocpp_sqlite, see run.h.
#pragma once

#include "medallion/io/sqlite_store.h"
#include "medallion/ocpp/run.h"

namespace medallion {

extern template class SqliteStore<ocpp::Charging>;

}  // namespace medallion
