#include "medallion/ocpp/run_sqlite.h"

namespace medallion {

template class SqliteStore<ocpp::Charging>;

}  // namespace medallion
