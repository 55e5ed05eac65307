#include "medallion/launchpad/run.h"

namespace medallion {

template class MemoryStore<launchpad::Launches>;
template class Runner<launchpad::Launches>;

}  // namespace medallion
