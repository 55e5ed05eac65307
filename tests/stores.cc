#include "tests/stores.h"

namespace medallion {

template class MemoryStore<toy::Loans>;
template class Runner<toy::Loans>;
template class SqliteStore<toy::Loans>;

}  // namespace medallion

template class MapStore<medallion::toy::Loans>;
template class MapStore<medallion::ocpp::Charging>;
