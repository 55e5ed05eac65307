#include "medallion/io/sqlite_runs.h"

#include <algorithm>
#include <bit>

namespace medallion::sqlite {
namespace {

constexpr size_t kEntryBytes = 16;
constexpr size_t kPageEntries = 250;  // four of these fill a page of the file
constexpr size_t kRunsOfASize = 8;
constexpr uint64_t kMergedMax = uint64_t{4} << 20;  // entries: bounds the time and memory of one merge
constexpr uint64_t kFilterKeysMax = uint64_t{32} << 20;

void AppendNumber(uint64_t number, std::string& out) {
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(number >> (8 * i));
  out.append(bytes, sizeof bytes);
}

uint64_t NumberAt(const char* bytes) {
  uint64_t number = 0;
  for (int i = 0; i < 8; ++i) number |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  return number;
}

uint64_t KeyAt(std::string_view entries, size_t i) { return NumberAt(entries.data() + i * kEntryBytes); }

Entry EntryAt(std::string_view entries, size_t i) {
  return {KeyAt(entries, i), static_cast<int64_t>(NumberAt(entries.data() + i * kEntryBytes + 8))};
}

// The first entry from `from` on whose key is not below `key`. What is asked for is sorted: look close by first.
size_t LowerBound(std::string_view entries, size_t from, uint64_t key) {
  const size_t size = entries.size() / kEntryBytes;
  size_t step = 1, low = from;
  while (low + step < size && KeyAt(entries, low + step) < key) low += step, step *= 2;
  size_t high = std::min(low + step, size);
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    KeyAt(entries, middle) < key ? low = middle + 1 : high = middle;
  }
  return low;
}

int SizeClass(uint64_t entries) {
  return (static_cast<int>(std::bit_width(entries)) - 1) / 3;
}  // powers of 8

}  // namespace

uint64_t Filter::Spread(uint64_t key) {
  key = (key ^ (key >> 32)) * 0xbf58476d1ce4e5b9;
  return key ^ (key >> 29);
}

// Four bits of a word.
uint64_t Filter::Bits(uint64_t key) {
  const uint64_t bits = key * 0x94d049bb133111eb;
  return uint64_t{1} << (bits >> 58) | uint64_t{1} << (bits >> 52 & 63) | uint64_t{1} << (bits >> 46 & 63) |
         uint64_t{1} << (bits >> 40 & 63);
}

void Filter::Reset(uint64_t keys) {
  room_ = static_cast<int64_t>(std::bit_ceil(std::clamp(keys, uint64_t{1} << 12, kFilterKeysMax)));
  const auto words = static_cast<uint64_t>(room_) / 4;  // 16 bits a key
  words_.assign(words, 0);
  shift_ = 64 - (static_cast<int>(std::bit_width(words)) - 1);
  if (keys > kFilterKeysMax) room_ = INT64_MAX;  // it stays as it is
}

std::string RunIndex::CreateSql() const {
  return std::string("CREATE TABLE ") + table_ + "(page INTEGER PRIMARY KEY, entries BLOB NOT NULL);";
}

absl::Status RunIndex::Prepare(Connection& connection) {
  connection_ = &connection;
  const std::string table = table_;
  absl::Status status = connection.Prepare("SELECT page, entries FROM " + table, "read an index", read_all_);
  if (status.ok()) {
    status =
        connection.Prepare("SELECT entries FROM " + table + " WHERE page = ?", "read an index", read_page_);
  }
  if (status.ok())
    status = connection.Prepare("INSERT INTO " + table + " VALUES(?,?)", "write an index", put_page_);
  if (status.ok()) {
    status = connection.Prepare(
        "SELECT p.page, p.entries FROM medallion_rows r CROSS JOIN " + table + " p ON p.page = r.c0",
        "read an index", read_fed_);
  }
  if (!status.ok()) return status;
  return connection.Prepare("DELETE FROM " + table + " WHERE page BETWEEN ?1 << 24 AND (?1 << 24) + 16777215",
                            "merge an index", drop_pages_);
}

absl::Status RunIndex::Damage(int64_t page) const {
  return absl::DataLossError(connection_->path() + ": read page " + std::to_string(page) + " of " + table_ +
                             ": the file is damaged: restore it, or run into a new one");
}

absl::Status RunIndex::Load() {
  runs_.clear();
  Query query(read_all_);
  while (query.Next()) {
    const int64_t page = query.Int(0);
    const std::string_view entries = query.Text(1);
    if (entries.empty() || entries.size() % kEntryBytes != 0) return Damage(page);
    if (runs_.empty() || runs_.back().number != page >> 24)
      runs_.push_back({.number = page >> 24, .fences = {}, .ends = {}, .filter = {}});
    Run& run = runs_.back();
    if (static_cast<int64_t>(run.fences.size()) != (page & 0xffffff)) return Damage(page);
    run.fences.push_back(KeyAt(entries, 0));
    run.ends.push_back(KeyAt(entries, entries.size() / kEntryBytes - 1));
    run.entries += entries.size() / kEntryBytes;
  }
  return query.status().ok() && low_bits_ != 64 ? Refill() : query.status();
}

// Makes the filters anew, with room for as many keys again.
absl::Status RunIndex::Refill() {
  uint64_t all = 0;
  for (Run& run : runs_) all += run.entries, run.filter.Reset(run.entries);
  if (over_all_) filter_.Reset(2 * all);
  auto run = runs_.begin();
  Query query(read_all_);
  while (query.Next()) {
    const std::string_view entries = query.Text(1);
    while (run->number != query.Int(0) >> 24) ++run;
    for (size_t i = 0; i < entries.size() / kEntryBytes; ++i) {
      const uint64_t key = KeyAt(entries, i) >> low_bits_;
      run->filter.Add(key);
      if (over_all_) filter_.Add(key);
    }
  }
  return query.status();
}

absl::Status RunIndex::ReadPage(int64_t page, std::string& entries) {
  Query query(read_page_, page);
  if (query.Next())
    entries.assign(query.Text(0));
  else if (query.status().ok())
    return Damage(page);
  return entries.size() % kEntryBytes == 0 ? query.status() : Damage(page);
}

absl::Status RunIndex::Find(std::vector<Entry>& asked, int low_bits, std::vector<Hit>& hits) {
  std::sort(asked.begin(), asked.end());
  const uint64_t low = (uint64_t{1} << low_bits) - 1;
  std::vector<KeyRange> ranges;
  ranges.reserve(asked.size());
  for (const Entry& entry : asked) ranges.push_back({entry.key & ~low, entry.key | low, entry.value});
  return Find(ranges, hits);
}

absl::Status RunIndex::Find(std::span<const KeyRange> asked, std::vector<Hit>& hits) {
  hits.clear();
  if (asked.empty()) return absl::OkStatus();
  std::vector<Look> looks;
  for (const Run& run : runs_) PlanFor(run, asked, looks);
  if (!std::is_sorted(looks.begin(), looks.end())) std::sort(looks.begin(), looks.end());
  if (auto status = LookUp(looks, asked, hits); !status.ok()) return status;
  std::sort(hits.begin(), hits.end());
  hits.erase(std::unique(hits.begin(), hits.end()), hits.end());
  return absl::OkStatus();
}

// Which pages may hold what is asked for. That is sorted, so the fences are walked once.
void RunIndex::PlanFor(const Run& run, std::span<const KeyRange> asked, std::vector<Look>& looks) const {
  const std::vector<uint64_t>& fences = run.fences;
  size_t page = 0;
  for (size_t i = 0; i < asked.size(); ++i) {
    const auto [first, last, value] = asked[i];
    const bool filtered = low_bits_ != 64 && first >> low_bits_ == last >> low_bits_;
    if (filtered && !run.filter.MayHold(first >> low_bits_)) continue;
    // The last page that begins below what is asked for, since keys may be equal across pages.
    if (page + 1 < fences.size() && fences[page + 1] < first) {
      const auto from = fences.begin() + static_cast<std::ptrdiff_t>(page) + 1;
      page = static_cast<size_t>(std::lower_bound(from, fences.end(), first) - fences.begin()) - 1;
    }
    for (size_t at = page; at < fences.size() && fences[at] <= last; ++at) {
      if (run.ends[at] >= first) looks.push_back({run.number << 24 | static_cast<int64_t>(at), i});
    }
  }
}

// Reads each page once.
absl::Status RunIndex::LookUp(std::span<const Look> looks, std::span<const KeyRange> asked,
                              std::vector<Hit>& hits) {
  auto next = looks.begin();
  const auto put = [&](Cells& cells) {
    if (next == looks.end()) return false;
    const int64_t page = next->page;
    cells.Put(page);
    while (next != looks.end() && next->page == page) ++next;
    return true;
  };
  Feed feed = put;
  Query query(read_fed_, feed);
  auto look = looks.begin();
  while (query.Next()) {
    const int64_t page = query.Int(0);
    const std::string_view entries = query.Text(1);
    if (entries.empty() || entries.size() % kEntryBytes != 0 || look->page != page) return Damage(look->page);
    size_t at = 0;
    for (; look != looks.end() && look->page == page; ++look) {
      const auto [first, last, value] = asked[look->asked];
      if (at > 0 && KeyAt(entries, at - 1) >= first) at = 0;  // it was asked for before
      for (at = LowerBound(entries, at, first); at < entries.size() / kEntryBytes; ++at) {
        const Entry entry = EntryAt(entries, at);
        if (entry.key > last) break;
        hits.push_back({value, entry.value});
      }
    }
  }
  if (!query.status().ok()) return query.status();
  return look == looks.end() ? absl::OkStatus() : Damage(look->page);
}

absl::Status RunIndex::Add(std::vector<Entry>& entries) {
  if (entries.empty()) return absl::OkStatus();
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  if (auto status = Write(entries); !status.ok()) return status;
  if (over_all_) {
    for (const Entry& entry : entries) filter_.Add(entry.key >> low_bits_);
  }
  if (auto status = Settle(); !status.ok()) return status;
  return over_all_ && filter_.full() ? Refill() : absl::OkStatus();
}

// As the newest run.
absl::Status RunIndex::Write(std::span<const Entry> entries) {
  Run run{.number = runs_.empty() ? 0 : runs_.back().number + 1,
          .entries = entries.size(),
          .fences = {},
          .ends = {},
          .filter = {}};
  for (size_t at = 0; at < entries.size(); at += kPageEntries) {
    page_.clear();
    for (const Entry& entry : entries.subspan(at, std::min(kPageEntries, entries.size() - at))) {
      AppendNumber(entry.key, page_), AppendNumber(static_cast<uint64_t>(entry.value), page_);
    }
    const int64_t page = run.number << 24 | static_cast<int64_t>(run.fences.size());
    if (auto status = Query(put_page_, page, Blob{page_}).Run(); !status.ok()) return status;
    run.fences.push_back(entries[at].key);
    run.ends.push_back(entries[std::min(at + kPageEntries, entries.size()) - 1].key);
  }
  if (low_bits_ != 64) {
    run.filter.Reset(run.entries);
    for (const Entry& entry : entries) run.filter.Add(entry.key >> low_bits_);
  }
  runs_.push_back(std::move(run));
  return absl::OkStatus();
}

// Merges the newest runs while there are eight none of which is larger than the newest by a size.
absl::Status RunIndex::Settle() {
  for (;;) {
    const int size = SizeClass(runs_.back().entries);
    size_t from = runs_.size();
    uint64_t entries = 0;
    while (from > 0 && SizeClass(runs_[from - 1].entries) <= size) entries += runs_[--from].entries;
    if (runs_.size() - from < kRunsOfASize || entries > kMergedMax) return absl::OkStatus();
    if (auto status = Merge(from); !status.ok()) return status;
  }
}

absl::Status RunIndex::Append(const Run& run, std::vector<Entry>& entries) {
  for (size_t page = 0; page < run.fences.size(); ++page) {
    if (auto status = ReadPage(run.number << 24 | static_cast<int64_t>(page), page_); !status.ok())
      return status;
    for (size_t i = 0; i < page_.size() / kEntryBytes; ++i) entries.push_back(EntryAt(page_, i));
  }
  return absl::OkStatus();
}

// Makes one run of those from `from` on.
absl::Status RunIndex::Merge(size_t from) {
  std::vector<Entry> entries;
  std::vector<size_t> ends = {0};
  for (size_t run = from; run < runs_.size(); ++run) {
    if (auto status = Append(runs_[run], entries); !status.ok()) return status;
    ends.push_back(entries.size());
  }
  const auto place = [&](size_t end) { return entries.begin() + static_cast<std::ptrdiff_t>(ends[end]); };
  for (size_t step = 1; step + 1 < ends.size(); step *= 2) {
    for (size_t at = 0; at + step < ends.size() - 1; at += 2 * step) {
      std::inplace_merge(place(at), place(at + step), place(std::min(at + 2 * step, ends.size() - 1)));
    }
  }
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  for (; runs_.size() > from; runs_.pop_back()) {
    if (auto status = Query(drop_pages_, runs_.back().number).Run(); !status.ok()) return status;
  }
  return Write(entries);
}

}  // namespace medallion::sqlite
