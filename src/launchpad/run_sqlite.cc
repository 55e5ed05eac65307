#include "medallion/launchpad/run_sqlite.h"

namespace medallion {

template class SqliteStore<launchpad::Launches>;

}  // namespace medallion
