#include "medallion/ledger/run_sqlite.h"

namespace medallion {

template class SqliteStore<ledger::Ledger>;

}  // namespace medallion
