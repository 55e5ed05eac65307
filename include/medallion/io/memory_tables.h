// The parts of the memory store that know no row type: packed bytes by number, and the table of records.
// One thread at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "medallion/base/arena.h"
#include "medallion/base/chunked.h"
#include "medallion/base/pages.h"
#include "medallion/bronze/record.h"

namespace medallion::memory {

inline constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

template <class T>
void PrefetchAll(const T& value) {
  const char* const begin = reinterpret_cast<const char*>(&value);
  for (size_t at = 0; at < sizeof value; at += 64) __builtin_prefetch(begin + at);
  __builtin_prefetch(begin + sizeof value - 1);
}

// Byte strings, each under a number of 32 bits. The memory of one that was dropped serves another of its size. There is
// room for 4,096 chunks of 4 MiB; one over 1 MiB has a chunk of its own, as large as it is.
class Blobs {
 public:
  // The number of a copy of `bytes`; kNone if there is no room for it.
  uint32_t Put(std::string_view bytes);
  void Drop(uint32_t blob);
  std::string_view At(uint32_t blob) const { return Bytes(Begin(blob)); }
  // Where a blob begins: looked at when its bytes are asked for, and good as long as the blob is.
  const char* Begin(uint32_t blob) const { return Place(blob); }
  static std::string_view Bytes(const char* at) {
    size_t size = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<uint8_t>(*at++);
      size |= size_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return {at, size};
    }
  }
  static void Prefetch(const char* begin) {
    for (int at = 0; at < 192; at += 64) __builtin_prefetch(begin + at);
  }
  void Prefetch(uint32_t blob) const { Prefetch(Begin(blob)); }

 private:
  // A blob is its size (LEB128) and its bytes, at a multiple of 4 bytes in a chunk. A number is that place: the
  // chunk's in the upper bits.
  static constexpr size_t kUnit = 4;
  static constexpr int kPlaceBits = 20;
  static constexpr size_t kChunk = kUnit << kPlaceBits;
  static constexpr size_t kChunksMax = size_t{1} << (32 - kPlaceBits);

  static size_t RoomFor(size_t size);  // of a blob of `size` bytes
  void AddChunk(size_t size);
  char* Place(uint32_t blob) const {
    return chunks_[blob >> kPlaceBits] + (blob & ((1u << kPlaceBits) - 1)) * kUnit;
  }

  std::vector<char*> chunks_;
  std::unique_ptr<char[]> first_;                               // the first: in small pages, for small stores
  std::vector<std::unique_ptr<Pages>> pages_;                   // the others
  size_t open_ = 0;                                             // the chunk that is being filled
  size_t used_ = kChunk;                                        // of it
  absl::flat_hash_map<size_t, std::vector<uint32_t>> dropped_;  // by size
};

// Numbers found by digests or other hashes of 64 bits, whose keys lie elsewhere: a table with 32 bits of each, so that few
// others are looked at. The stages of a look-up can be begun ahead of it, for many at once.
class HashIndex {
 public:
  // The number of the key with this hash, among those with equal bits: the first that `is_it(number)` holds for; null if
  // none.
  template <class IsIt>
  const uint32_t* Find(uint64_t hash, IsIt&& is_it) const {
    const auto print = static_cast<uint32_t>(hash);
    for (size_t at = Begin(print);; at = (at + 1) & mask_) {
      const Entry& entry = entries_.at[at];
      if (entry.number == kNone) return nullptr;
      if (entry.print == print && is_it(entry.number)) return &entry.number;
    }
  }
  template <class IsIt>
  uint32_t* Find(uint64_t hash, IsIt&& is_it) {
    return const_cast<uint32_t*>(std::as_const(*this).Find(hash, is_it));
  }
  // Adds a number for a key that has none.
  void Insert(uint64_t hash, uint32_t number);
  // The number that Find finds; where there is none, adds one and returns null.
  template <class IsIt>
  uint32_t* FindOrInsert(uint64_t hash, uint32_t number, IsIt&& is_it) {
    const auto print = static_cast<uint32_t>(hash);
    size_t at = Begin(print);
    for (; entries_.at[at].number != kNone; at = (at + 1) & mask_) {
      if (entries_.at[at].print == print && is_it(entries_.at[at].number)) return &entries_.at[at].number;
    }
    if (IsFull()) {
      Insert(hash, number);
    } else {
      ++size_, entries_.at[at] = {print, number};
    }
    return nullptr;
  }

  void Prefetch(uint64_t hash) const { __builtin_prefetch(&entries_.at[Begin(static_cast<uint32_t>(hash))]); }
  // The number that Find is going to ask about first, or kNone.
  uint32_t Guess(uint64_t hash) const;

 private:
  struct Entry {
    uint32_t print = 0;
    uint32_t number = kNone;
  };
  // A power of two of entries, without numbers: a large table in large pages.
  struct Entries {
    explicit Entries(size_t count);
    std::unique_ptr<Entry[]> small;
    std::unique_ptr<Pages> large;
    Entry* at;
    size_t size;
  };

  // The upper bits: so a table that grows is read and written from begin to end.
  size_t Begin(uint32_t print) const { return print >> shift_; }
  // A quarter stays empty: where less does, looks for what is not there become long.
  bool IsFull() const { return size_ >= entries_.size / 4 * 3; }
  void Put(Entry entry);
  void Grow();

  Entries entries_{16};
  size_t mask_ = 15;
  int shift_ = 28;
  size_t size_ = 0;
};

// Texts, each once.
class Interned {
 public:
  Interned() { Number({}); }
  uint32_t Number(std::string_view text);  // 0 for the empty text
  std::string_view Text(uint32_t number) const { return texts_[number]; }

 private:
  Arena bytes_;
  Chunked<std::string_view> texts_;
  absl::flat_hash_map<std::string_view, uint32_t> numbers_;
};

// Bronze without payloads: which records are there, and how each arrived. Offsets that grow within their topic and
// partition, as a broker's do, need no hash index.
class RecordTable {
 public:
  uint32_t size() const { return static_cast<uint32_t>(records_.size()); }

  // The record's number, or kNone.
  uint32_t Find(const RecordId& id) const;
  // Adds the record, or gives a known one the arrival in `record`. Returns its number.
  uint32_t Put(const BronzeRecord& record, const RecordId& id);

  RecordId IdOf(uint32_t record) const;
  void Prefetch(uint32_t record) const {  // it lies on two lines, most often
    __builtin_prefetch(&records_[record]);
    __builtin_prefetch(&records_[record].first);
  }
  Arrival ArrivalOf(uint32_t record) const;
  Direction DirectionOf(uint32_t record) const {
    return kinds_[envelopes_[records_[record].envelope].kind].direction;
  }
  BronzeRecord Show(uint32_t record) const;  // without its payload

  // The record's first element: the store's business.
  uint32_t& first(uint32_t record) { return records_[record].first; }
  uint32_t first(uint32_t record) const { return records_[record].first; }

 private:
  struct Record {  // without a field of 64 bits, which would leave a gap
    Digest payload;
    uint32_t offset_high = 0, offset_low = 0;
    uint32_t stream = 0;
    uint32_t envelope = 0;
    uint32_t first = kNone;
    int64_t offset() const { return static_cast<int64_t>(uint64_t{offset_high} << 32 | offset_low); }
  };
  struct Run {  // of records with numbers in a row
    uint32_t first = 0;
    uint32_t count = 0;
    uint32_t last() const { return first + count - 1; }
  };
  struct Stream {  // a topic's partition
    std::string_view topic;
    int32_t partition = 0;
    std::vector<Run> in_order = {};  // records whose offset was above all before
    int64_t offset_max = 0;          // the last one's
  };
  struct Envelope {  // what came with the payload; number 0 is an empty one
    UtcTime broker_ts = kNoTime, ingest_ts = kNoTime;
    uint32_t key = 0;
    uint32_t kind = 0;
  };
  struct Kind {
    Direction direction = Direction::kIn;
    uint32_t version = 0, connection = 0;
    auto operator<=>(const Kind&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const Kind& kind) {
      return H::combine(std::move(h), kind.direction, kind.version, kind.connection);
    }
  };
  // Records found by their whole id.
  struct SameId {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): Abseil's name
    const Chunked<Record>* records;
    static size_t HashOf(const Digest& payload, int64_t offset) {
      return payload.Prefix() + static_cast<uint64_t>(offset) * 0x9E3779B97F4A7C15u;
    }
    size_t operator()(uint32_t record) const {
      return HashOf((*records)[record].payload, (*records)[record].offset());
    }
    size_t operator()(const std::pair<uint32_t, const RecordId*>& id) const {
      return HashOf(id.second->payload, id.second->at.offset);
    }
    bool operator()(uint32_t a, uint32_t b) const { return a == b; }
    bool operator()(uint32_t record, const std::pair<uint32_t, const RecordId*>& id) const {
      const Record& at = (*records)[record];
      return at.stream == id.first && at.offset() == id.second->at.offset && at.payload == id.second->payload;
    }
    bool operator()(const std::pair<uint32_t, const RecordId*>& id, uint32_t record) const {
      return (*this)(record, id);
    }
  };

  uint32_t FindStream(const Coordinate& at) const;
  uint32_t FindInOrder(const Stream& stream, int64_t offset) const;
  uint32_t Find(uint32_t stream, const RecordId& id) const;
  uint32_t PutEnvelope(const BronzeRecord& record, uint32_t stood);

  Chunked<Record> records_;
  std::vector<Stream> streams_;
  mutable uint32_t stream_seen_ = 0;  // the last one asked for: most often the next one too
  absl::flat_hash_map<std::pair<std::string_view, int32_t>, uint32_t> stream_of_;
  absl::flat_hash_set<uint32_t, SameId, SameId> out_of_order_{0, SameId{&records_}, SameId{&records_}};
  Chunked<Envelope> envelopes_;
  std::vector<Kind> kinds_ = {Kind{}};
  absl::flat_hash_map<Kind, uint32_t> kind_of_ = {{Kind{}, 0}};
  Interned texts_;
};

}  // namespace medallion::memory
