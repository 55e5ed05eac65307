#include "medallion/ledger/run.h"

namespace medallion {

template class MemoryStore<ledger::Ledger>;
template class Runner<ledger::Ledger>;

}  // namespace medallion
