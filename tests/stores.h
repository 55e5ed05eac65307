// Stores and run loop of the toy pack, and the map store of both packs that the stores' tests use: compiled once, in
// stores.cc.
#pragma once

#include "examples/map_store.h"
#include "medallion/io/memory_store.h"
#include "medallion/io/run.h"
#include "medallion/io/sqlite_store.h"
#include "medallion/ocpp/run_sqlite.h"
#include "tests/toy.h"

namespace medallion {

extern template class MemoryStore<toy::Loans>;
extern template class Runner<toy::Loans>;
extern template class SqliteStore<toy::Loans>;

}  // namespace medallion

extern template class MapStore<medallion::toy::Loans>;
extern template class MapStore<medallion::ocpp::Charging>;
