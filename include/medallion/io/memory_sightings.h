// What the memory store keeps of sightings: of each subject the maximum of all that was seen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "medallion/gold/sighting.h"

namespace medallion::memory {

// One thread at a time.
class Sightings {
 public:
  struct Known {
    std::string name;  // the spelling that sorts first by bytes
    Sighting sighting;
    uint32_t entity = UINT32_MAX;  // the store's number of what is derived from it, once it was given one
  };

  // The subject, if it is another now; else null. It holds until the next call.
  Known* Take(std::string_view subject, std::string_view name, const Sighting& sighting) {
    const auto [at, added] = known_.try_emplace(std::string(subject));
    Known& known = at->second;
    const Sighting before = known.sighting;
    known.sighting.Take(sighting);
    const bool named = added || name < known.name;
    if (named) known.name = name;
    return named || known.sighting != before ? &known : nullptr;
  }

  // One that was taken goes. Whether what is known rests on it: then the subject must be counted again.
  bool RestsOn(std::string_view subject, std::string_view name, const Sighting& sighting) const {
    const auto found = known_.find(std::string(subject));
    if (found == known_.end()) return false;
    return found->second.name == name || found->second.sighting.RestsOn(sighting);
  }
  void Forget(std::string_view subject) { known_.erase(std::string(subject)); }

  // Null where the subject was never seen.
  const Known* Find(std::string_view subject) const {
    const auto found = known_.find(std::string(subject));
    return found == known_.end() ? nullptr : &found->second;
  }

 private:
  absl::flat_hash_map<std::string, Known> known_;
};

}  // namespace medallion::memory
