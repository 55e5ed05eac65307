#include "medallion/io/memory_tables.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

#include "medallion/base/pack.h"
#include "medallion/base/text.h"

namespace medallion::memory {

// ---- Blobs ------------------------------------------------------------------------------------------------------

size_t Blobs::RoomFor(size_t size) {
  size_t head = 1;
  for (size_t rest = size; rest >= 0x80; rest >>= 7) ++head;
  return (head + size + kUnit - 1) / kUnit * kUnit;
}

void Blobs::AddChunk(size_t size) {
  if (chunks_.empty()) {
    first_ = std::make_unique_for_overwrite<char[]>(size);
    chunks_.push_back(first_.get());
  } else {
    pages_.push_back(std::make_unique<Pages>(size));
    chunks_.push_back(pages_.back()->begin());
  }
}

uint32_t Blobs::Put(std::string_view bytes) {
  const size_t size = RoomFor(bytes.size());
  uint32_t blob = kNone;
  const auto dropped = dropped_.empty() ? dropped_.end() : dropped_.find(size);
  if (dropped != dropped_.end()) {
    blob = dropped->second.back();
    dropped->second.pop_back();
    if (dropped->second.empty()) dropped_.erase(dropped);
  } else if (size > kChunk / 4) {  // a chunk of its own
    if (chunks_.size() == kChunksMax || bytes.size() > std::numeric_limits<uint32_t>::max()) return kNone;
    blob = static_cast<uint32_t>(chunks_.size() << kPlaceBits);
    AddChunk(size);
  } else {
    if (kChunk - used_ < size) {
      if (chunks_.size() == kChunksMax) return kNone;
      open_ = chunks_.size();
      used_ = 0;
      AddChunk(kChunk);
    }
    blob = static_cast<uint32_t>(open_ << kPlaceBits | used_ / kUnit);
    used_ += size;
  }
  packing::WriteText(Place(blob), bytes);
  return blob;
}

void Blobs::Drop(uint32_t blob) {
  const size_t size = RoomFor(At(blob).size());
  dropped_[size].push_back(blob);
}

// ---- HashIndex --------------------------------------------------------------------------------------------------

HashIndex::Entries::Entries(size_t count) : size(count) {
  if (count * sizeof(Entry) < Pages::kSize) {
    small = std::make_unique<Entry[]>(count);
    at = small.get();
    return;
  }
  large = std::make_unique<Pages>(count * sizeof(Entry));
  at = reinterpret_cast<Entry*>(large->begin());
  std::uninitialized_fill_n(at, count, Entry{});
}

void HashIndex::Put(Entry entry) {
  size_t at = Begin(entry.print);
  while (entries_.at[at].number != kNone) at = (at + 1) & mask_;
  entries_.at[at] = entry;
}

void HashIndex::Grow() {
  const Entries before = std::exchange(entries_, Entries(2 * entries_.size));
  mask_ = entries_.size - 1;
  --shift_;
  for (const Entry& entry : std::span(before.at, before.size)) {
    if (entry.number != kNone) Put(entry);
  }
}

void HashIndex::Insert(uint64_t hash, uint32_t number) {
  if (IsFull()) Grow();
  ++size_;
  Put({static_cast<uint32_t>(hash), number});
}

uint32_t HashIndex::Guess(uint64_t hash) const {
  const auto print = static_cast<uint32_t>(hash);
  size_t at = Begin(print);
  while (entries_.at[at].number != kNone && entries_.at[at].print != print) at = (at + 1) & mask_;
  return entries_.at[at].number;
}

// ---- Interned ---------------------------------------------------------------------------------------------------

uint32_t Interned::Number(std::string_view text) {
  if (text.empty() && !texts_.empty()) return 0;
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  const auto number = static_cast<uint32_t>(texts_.size());
  texts_.push_back(bytes_.Copy(text));
  numbers_.emplace(texts_.back(), number);
  return number;
}

// ---- RecordTable ------------------------------------------------------------------------------------------------

uint32_t RecordTable::FindStream(const Coordinate& at) const {
  if (stream_seen_ < streams_.size()) {
    const Stream& stream = streams_[stream_seen_];
    if (stream.partition == at.partition && SameText(stream.topic, at.topic)) return stream_seen_;
  }
  const auto found = stream_of_.find({at.topic, at.partition});
  return found == stream_of_.end() ? kNone : stream_seen_ = found->second;
}

// The stream's record in order that has this offset, or kNone.
uint32_t RecordTable::FindInOrder(const Stream& stream, int64_t offset) const {
  const auto offset_of = [&](uint32_t record) { return records_[record].offset(); };
  const auto after =
      std::upper_bound(stream.in_order.begin(), stream.in_order.end(), offset,
                       [&](int64_t asked, const Run& run) { return asked < offset_of(run.first); });
  if (after == stream.in_order.begin()) return kNone;
  const Run& run = *std::prev(after);
  uint32_t begin = run.first;  // the last whose offset is not above
  for (uint32_t count = run.count; count > 1;) {
    const uint32_t half = count / 2;
    if (offset_of(begin + half) <= offset) begin += half;
    count -= half;
  }
  return offset_of(begin) == offset ? begin : kNone;
}

uint32_t RecordTable::Find(const RecordId& id) const { return Find(FindStream(id.at), id); }

uint32_t RecordTable::Find(uint32_t number, const RecordId& id) const {
  if (number == kNone) return kNone;
  const Stream& stream = streams_[number];
  if (stream.in_order.empty() || stream.offset_max < id.at.offset) return kNone;
  const uint32_t in_order = FindInOrder(stream, id.at.offset);
  if (in_order != kNone && records_[in_order].payload == id.payload) return in_order;
  const auto found = out_of_order_.find(std::pair{number, &id});
  return found == out_of_order_.end() ? kNone : *found;
}

// The number of the record's envelope, which is in place of `stood`.
uint32_t RecordTable::PutEnvelope(const BronzeRecord& record, uint32_t stood) {
  if (envelopes_.empty()) envelopes_.push_back({});
  const bool bare = record.broker_ts == kNoTime && record.ingest_ts == kNoTime && record.key.empty() &&
                    record.version.empty() && record.connection_id.empty() &&
                    record.direction == Direction::kIn;
  if (bare) return 0;
  const Kind kind{record.direction, texts_.Number(record.version), texts_.Number(record.connection_id)};
  const auto [at, added] = kind_of_.try_emplace(kind, static_cast<uint32_t>(kinds_.size()));
  if (added) kinds_.push_back(kind);
  const Envelope envelope{.broker_ts = record.broker_ts,
                          .ingest_ts = record.ingest_ts,
                          .key = texts_.Number(record.key),
                          .kind = at->second};
  if (stood != 0) return envelopes_[stood] = envelope, stood;
  envelopes_.push_back(envelope);
  return static_cast<uint32_t>(envelopes_.size() - 1);
}

uint32_t RecordTable::Put(const BronzeRecord& record, const RecordId& id) {
  uint32_t number = FindStream(id.at);
  if (const uint32_t known = Find(number, id); known != kNone) {
    records_[known].envelope = PutEnvelope(record, records_[known].envelope);
    return known;
  }
  if (number == kNone) {
    number = static_cast<uint32_t>(streams_.size());
    streams_.push_back({.topic = texts_.Text(texts_.Number(id.at.topic)), .partition = id.at.partition});
    stream_of_.emplace(std::pair{streams_.back().topic, id.at.partition}, number);
  }
  const auto added = static_cast<uint32_t>(records_.size());
  const auto offset = static_cast<uint64_t>(id.at.offset);
  records_.push_back({.payload = id.payload,
                      .offset_high = static_cast<uint32_t>(offset >> 32),
                      .offset_low = static_cast<uint32_t>(offset),
                      .stream = number,
                      .envelope = PutEnvelope(record, 0)});
  Stream& stream = streams_[number];
  std::vector<Run>& in_order = stream.in_order;
  if (!in_order.empty() && stream.offset_max >= id.at.offset) return out_of_order_.insert(added), added;
  stream.offset_max = id.at.offset;
  if (!in_order.empty() && in_order.back().last() + 1 == added) {
    ++in_order.back().count;
  } else {
    in_order.push_back({.first = added, .count = 1});
  }
  return added;
}

RecordId RecordTable::IdOf(uint32_t record) const {
  const Record& at = records_[record];
  const Stream& stream = streams_[at.stream];
  return {.at = {stream.topic, stream.partition, at.offset()}, .payload = at.payload};
}

Arrival RecordTable::ArrivalOf(uint32_t record) const {
  const Envelope& envelope = envelopes_[records_[record].envelope];
  const Kind& kind = kinds_[envelope.kind];
  return {.broker_ts = envelope.broker_ts,
          .ingest_ts = envelope.ingest_ts,
          .key = texts_.Text(envelope.key),
          .version = texts_.Text(kind.version),
          .connection_id = texts_.Text(kind.connection),
          .direction = kind.direction};
}

BronzeRecord RecordTable::Show(uint32_t record) const {
  const Envelope& envelope = envelopes_[records_[record].envelope];
  const Kind& kind = kinds_[envelope.kind];
  return {.at = IdOf(record).at,
          .key = texts_.Text(envelope.key),
          .broker_ts = envelope.broker_ts,
          .ingest_ts = envelope.ingest_ts,
          .direction = kind.direction,
          .version = texts_.Text(kind.version),
          .connection_id = texts_.Text(kind.connection)};
}

}  // namespace medallion::memory
