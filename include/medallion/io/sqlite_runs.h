// An index for keys that come in no order (digests), in a SQLite table that is only ever written in order.
//
// A B-tree over such keys is what makes a store slow: each batch touches nearly every page of it, and each page is
// written to the log again. Here the entries of a batch are sorted and appended as one run; eight runs of a size are
// merged into one. Runs are found by fences in memory, and a filter in memory answers what nobody knows.
//
//   table  := page INTEGER PRIMARY KEY, entries BLOB       page = run << 24 | number within the run
//   entries:= (key, value)...                              eight bytes each, the lowest first; sorted
//
// An index may tell of more than there is: entries are never taken back, whoever reads looks at what they lead to. In
// memory: 16 bytes for each page of 250 entries, 2 to 4 bytes a key for a filter over all, up to 64 MiB, and as many for
// the filters of the runs, by which most of them need not be looked at. Beyond 32 million keys the filter over all passes
// more and more questions on to the runs. What is in memory is read from the table: 16 bytes an entry.
//
// One thread at a time. Errors: see io/sqlite.h.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "medallion/io/sqlite.h"

namespace medallion::sqlite {

// Tells for sure that a key was never added, mostly.
class Filter {
 public:
  // Empty, with room for so many keys: then one in a hundred others passes.
  void Reset(uint64_t keys);
  void Add(uint64_t key) { words_[Place(key)] |= Bits(key), --room_; }
  bool MayHold(uint64_t key) const {
    const uint64_t bits = Bits(key);
    return !words_.empty() && (words_[Place(key)] & bits) == bits;
  }
  bool full() const { return room_ <= 0; }

 private:
  static uint64_t Spread(uint64_t key);
  static uint64_t Bits(uint64_t key);
  size_t Place(uint64_t key) const { return static_cast<size_t>(Spread(key) >> shift_); }

  std::vector<uint64_t> words_;
  int shift_ = 0;
  int64_t room_ = 0;
};

// `value` is the number of a row.
struct Entry {
  uint64_t key = 0;
  int64_t value = 0;
  auto operator<=>(const Entry&) const = default;
};

struct Hit {
  int64_t asked = 0;  // as it was given with the key
  int64_t value = 0;
  auto operator<=>(const Hit&) const = default;
};

// All keys from `first` to `last`.
struct KeyRange {
  uint64_t first = 0, last = 0;
  int64_t asked = 0;
  auto operator<=>(const KeyRange&) const = default;
};

class RunIndex {
 public:
  enum class Filters : uint8_t { kOfRuns, kOfAllToo };  // the latter for MayHold
  // `low_bits` of a key do not matter to filters: asked for are all keys that agree in the others. 64: no filter.
  RunIndex(const char* table, int low_bits, Filters filters = Filters::kOfAllToo)
      : table_(table), low_bits_(low_bits), over_all_(low_bits != 64 && filters == Filters::kOfAllToo) {}

  std::string CreateSql() const;
  absl::Status Prepare(Connection& connection);

  // Reads what is kept in memory. To be called before all else, and after the table changed in another way.
  absl::Status Load();

  // False: no key like this one was ever added.
  bool MayHold(uint64_t key) const { return !over_all_ || filter_.MayHold(key >> low_bits_); }

  // The values of each key, or with `low_bits` of all that agree with it in the others. `asked.value` is what the key's
  // hits are to be known by; `asked` is left sorted. Sets `hits`, sorted, each once.
  absl::Status Find(std::vector<Entry>& asked, int low_bits, std::vector<Hit>& hits);
  // The same for ranges, which must be sorted.
  absl::Status Find(std::span<const KeyRange> asked, std::vector<Hit>& hits);

  // Adds these, and leaves them sorted. Within a transaction that writes; where it is taken back, Load again.
  absl::Status Add(std::vector<Entry>& entries);

 private:
  struct Run {
    int64_t number = 0;
    uint64_t entries = 0;
    std::vector<uint64_t> fences, ends;  // the first and the last key of each page
    Filter filter;                       // of its keys
  };

  struct Look {  // at a page, for the `asked`th key
    int64_t page = 0;
    size_t asked = 0;
    auto operator<=>(const Look&) const = default;
  };

  absl::Status ReadPage(int64_t page, std::string& entries);
  void PlanFor(const Run& run, std::span<const KeyRange> asked, std::vector<Look>& looks) const;
  absl::Status LookUp(std::span<const Look> looks, std::span<const KeyRange> asked, std::vector<Hit>& hits);
  absl::Status Write(std::span<const Entry> entries);
  absl::Status Append(const Run& run, std::vector<Entry>& entries);
  absl::Status Merge(size_t from);
  absl::Status Settle();
  absl::Status Refill();
  absl::Status Damage(int64_t page) const;

  const char* table_;
  int low_bits_;
  bool over_all_;  // whether filter_ is kept
  Connection* connection_ = nullptr;
  Statement read_all_, read_page_, read_fed_, put_page_, drop_pages_;
  std::vector<Run> runs_;  // the oldest first
  Filter filter_;
  std::string page_;  // scratch
};

}  // namespace medallion::sqlite
