// Running the pack. Its run loop and its memory store are compiled once, in medallion::launchpad, and not again in each file
// that includes this in place of io/run.h and io/memory_store.h.
#pragma once

#include "medallion/io/memory_store.h"
#include "medallion/io/run.h"
#include "medallion/launchpad/launches.h"

namespace medallion {

extern template class MemoryStore<launchpad::Launches>;
extern template class Runner<launchpad::Launches>;

}  // namespace medallion
