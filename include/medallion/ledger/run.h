// Running the pack. Its run loop and its memory store are compiled once, in medallion::ledger, and not again in each file
// that includes this in place of io/run.h and io/memory_store.h.
#pragma once

#include "medallion/io/memory_store.h"
#include "medallion/io/run.h"
#include "medallion/ledger/ledger.h"

namespace medallion {

extern template class MemoryStore<ledger::Ledger>;
extern template class Runner<ledger::Ledger>;

}  // namespace medallion
