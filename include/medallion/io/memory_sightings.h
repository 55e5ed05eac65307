// What the memory store keeps of sightings: of each subject the maximum of all that was seen.
#pragma once

#include <cstdint>
#include <string_view>

#include "medallion/base/arena.h"
#include "medallion/base/chunked.h"
#include "medallion/base/digest.h"
#include "medallion/gold/sighting.h"
#include "medallion/io/memory_tables.h"

namespace medallion::memory {

// One thread at a time.
class Sightings {
 public:
  struct Known {
    std::string_view subject;
    std::string_view name;  // the spelling that sorts first by bytes; empty: nothing is known
    Sighting sighting;
    uint32_t entity = kNone;  // the store's number of what is derived from it, once it was given one
  };

  // The number of the subject, whose Fingerprint is `hash`, if it is another now; else kNone.
  uint32_t Take(uint64_t hash, std::string_view subject, std::string_view name, const Sighting& sighting) {
    const uint32_t number = NumberOf(hash, subject);
    Known& known = known_[number];
    const Sighting before = known.sighting;
    known.sighting.Take(sighting);
    const bool named = known.name.empty() || name < known.name;
    if (named) known.name = name == known.subject ? known.subject : texts_.Copy(name);
    return named || known.sighting != before ? number : kNone;
  }

  // One that was taken goes. Whether what is known rests on it: then the subject must be counted again.
  bool RestsOn(std::string_view subject, std::string_view name, const Sighting& sighting) const {
    const uint32_t* const found = Find(Fingerprint(subject), subject);
    if (found == nullptr) return false;
    return known_[*found].name == name || known_[*found].sighting.RestsOn(sighting);
  }
  void Forget(std::string_view subject) {
    if (const uint32_t* const found = Find(Fingerprint(subject), subject); found != nullptr) {
      known_[*found].name = {}, known_[*found].sighting = {};
    }
  }

  Known& operator[](uint32_t number) { return known_[number]; }
  const Known& operator[](uint32_t number) const { return known_[number]; }

  // The stages of a look-up that can be begun ahead of it. The second says which one it is likely to be, or kNone.
  void Prefetch(uint64_t hash) const { index_.Prefetch(hash); }
  uint32_t PrefetchKnown(uint64_t hash) const {
    const uint32_t number = index_.Guess(hash);
    if (number != kNone) PrefetchAll(known_[number]);
    return number;
  }

 private:
  const uint32_t* Find(uint64_t hash, std::string_view subject) const {
    return index_.Find(hash, [&](uint32_t number) { return known_[number].subject == subject; });
  }
  uint32_t NumberOf(uint64_t hash, std::string_view subject) {
    const auto number = static_cast<uint32_t>(known_.size());
    const auto is_it = [&](uint32_t other) { return known_[other].subject == subject; };
    if (const uint32_t* const found = index_.FindOrInsert(hash, number, is_it); found != nullptr)
      return *found;
    known_.push_back({.subject = texts_.Copy(subject), .name = {}, .sighting = {}});
    return number;
  }

  HashIndex index_;
  Chunked<Known> known_;
  Arena texts_;
};

}  // namespace medallion::memory
