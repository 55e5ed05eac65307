#include "medallion/ocpp/run.h"

namespace medallion {

template class MemoryStore<ocpp::Charging>;
template class Runner<ocpp::Charging>;

}  // namespace medallion
