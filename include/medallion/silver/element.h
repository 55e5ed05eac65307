// An element: one row of a domain, with its identity and what became of it. And what Refine returns: a batch of them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "medallion/base/arena.h"
#include "medallion/silver/fate.h"
#include "medallion/silver/identity.h"
#include "medallion/silver/name_counts.h"
#include "medallion/silver/review.h"

namespace medallion {

// The key of what is derived (a charging transaction, an account). All zeros: the row bears on no entity.
using EntityKey = Digest;

// How an element stands on the timeline of its subject (a charge point): what ties facts to entities beyond their own
// keys, and entities to one another, is read from the timeline (see gold/resolve.h).
enum class Milestone : uint8_t {
  kNone,       // not on it
  kDetail,     // looked at only where the milestones leave a question
  kMilestone,  // always looked at
};

// The other members of its fact that a standing names. Most elements are alone, and need none.
struct Others {
  Order winner;                                     // duplicate or conflict: the row it is measured against
  std::array<Coordinate, kValuesMax> value_from{};  // winner: where a filled value came from
  bool operator==(const Others&) const = default;
};
inline constexpr Others kNoOthers{};

// How an element stands after settling.
struct Standing {
  Fate fate = Fate::kSilver;
  bool conflict = false;  // quarantined for a contradiction, not for a broken rule
  uint8_t differs = 0;    // conflict, or duplicate of a rejected one: bit i, value i differs from the fact's
  uint8_t filled = 0;     // winner: bit i, value i was taken from `value_from(i)`
  UtcTime since = kNoTime;            // conflict: the ingest time of the later copy
  const Others* others = &kNoOthers;  // where the element's texts are; never null

  const Order& winner() const { return others->winner; }
  const Coordinate& value_from(int i) const { return others->value_from[static_cast<size_t>(i)]; }
  bool operator==(const Standing& other) const {
    return fate == other.fate && conflict == other.conflict && differs == other.differs &&
           filled == other.filled && since == other.since &&
           (others == other.others || *others == *other.others);
  }
};

// Row is a plain struct of the domain. Texts refer to the arena or store that the element came from.
template <class Row>
struct Element {
  Row row;  // typed as far as it was understood; a winner shows the fact's values
  // `unit` is all zeros where it is not to be settled; `order` holds always. An ignored element in a unit is a witness:
  // the pack's Cut looks at it, and it stays ignored.
  Identity identity;
  EntityKey entity{};
  Standing standing;
  Milestone milestone = Milestone::kNone;
  bool confirms = false;  // as a duplicate, too, it bears on what its entity is derived into
  // Quarantined for broken rules: their codes as a JSON array, in the order of the rule table.
  std::string_view violations;
  std::string_view reason;           // ignored: why
  std::string_view detail;           // JSON object with the particulars, or empty
  const Reviewed* review = nullptr;  // decided by hand: it has a row in quarantine, whatever its fate

  bool to_settle() const { return identity.unit != Digest{}; }
};

// Whether an entity is derived from the element as it stands: it is in Silver, or bears on it as a conflict, or as a
// duplicate that confirms.
template <class Row>
bool IsHistory(const Element<Row>& element) {
  const Standing& standing = element.standing;
  return element.entity != EntityKey{} && (standing.fate == Fate::kSilver || standing.conflict ||
                                           (IsDuplicate(standing.fate) && element.confirms));
}

// What a batch of records was refined into. Owns the texts that its elements refer to.
template <class Row>
struct Refined {
  std::vector<Element<Row>> elements;  // at least one a record, in the order of the records
  std::vector<uint32_t> ends;          // of each record: its elements end before this one
  std::vector<UtcTime> ingest_ts;  // of each record: as given, else as read from the payload, else kNoTime
  std::vector<Digest> payloads;    // of each record: SHA-256 of its payload
  uint64_t unknown_fields = 0;     // fields kept though the schema does not name them
  // Of these, those whose names were noted: a bounded number of names.
  NameCounts unknown_names;
  Arena texts;
};

}  // namespace medallion
