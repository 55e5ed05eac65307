#include "medallion/ocpp/refine.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conclude.h"
#include "frames/refine_frame.h"
#include "medallion/ocpp/identify.h"
#include "medallion/ocpp/normalize.h"

namespace medallion::ocpp {
namespace {

// So many records are taken through each step before the next: few enough for the cache, enough to hash in pairs.
constexpr size_t kStretch = 128;
// A payload is fetched while so many before it are refined.
constexpr size_t kAhead = 2;

// Fills the row of a new element, and says what is wrong with it.
void FillElement(const FlatFields& fields, const BronzeRecord& record, const Options& options, Arena& texts,
                 ChargingElement& element) {
  Draft draft = Normalize(fields, record, options, texts, element.row);
  Conclude(draft, options, texts, element);
}

// The digests of the records' payloads.
void HashPayloads(std::span<const BronzeRecord> records, std::span<Digest> digests) {
  std::array<std::string_view, kStretch> payloads;
  std::transform(records.begin(), records.end(), payloads.begin(),
                 [](const BronzeRecord& record) { return record.payload; });
  Sha256Each(std::span(payloads).first(records.size()), digests);
}

// How many elements there will be, about: room that is not used is not touched, but growing copies all of them.
size_t ElementsAbout(std::span<const BronzeRecord> batch) {
  constexpr size_t kSampleBytes = 128;
  size_t elements = batch.size() + batch.size() / 8;  // who writes them adds what else they change
  for (const BronzeRecord& record : batch) {
    if (record.payload.starts_with('[')) elements += record.payload.size() / kSampleBytes;
  }
  return elements;
}

// The payload digest of each element: record i has those from ends[i - 1], of the first from `begin`, to ends[i].
std::span<const Digest> OfElements(std::span<const Digest> payloads, std::span<const uint32_t> ends,
                                   size_t begin, std::vector<Digest>& scratch) {
  if (ends.back() - begin == payloads.size()) return payloads;  // one each, since each has at least one
  scratch.clear();
  for (size_t i = 0; i < payloads.size(); ++i) scratch.resize(ends[i] - begin, payloads[i]);
  return scratch;
}

// Has the processor fetch the beginning of a payload that is read soon, and the key: they came long ago, and are first
// looked at here.
void Prefetch(const BronzeRecord& record) {
#ifdef __GNUC__
  constexpr size_t kLine = 64;
  const std::string_view payload = record.payload.substr(0, 5 * kLine);  // more follows by itself
  for (size_t at = 0; at < payload.size(); at += kLine) __builtin_prefetch(payload.data() + at);
  __builtin_prefetch(record.key.data());
#else
  static_cast<void>(record);
#endif
}

}  // namespace

ChargingElement RefineFields(const FlatFields& fields, const BronzeRecord& record, const Digest& payload,
                             const Options& options, Arena& texts) {
  ChargingElement element;
  FillElement(fields, record, options, texts, element);
  Identifier().Identify({&element, 1}, {&payload, 1}, options);
  return element;
}

Refined<ChargingEvent> Refine(std::span<const BronzeRecord> batch, const Options& options) {
  Refined<ChargingEvent> refined;
  std::vector<ChargingElement>& elements = refined.elements;
  elements.reserve(ElementsAbout(batch));
  refined.ingest_ts.reserve(batch.size());
  refined.ends.reserve(batch.size());
  refined.payloads.resize(batch.size());
  FlatParser parser(options.schemas, options.payload_bytes_max);
  FrameRefiner frames(options);
  Identifier identifier;
  std::vector<Digest> payload_of;  // of each element, where a record has several
  for (size_t begin = 0; begin < batch.size(); begin += kStretch) {
    const size_t size = std::min(kStretch, batch.size() - begin);
    const size_t first = elements.size();
    for (size_t i = begin; i < begin + size; ++i) {
      Prefetch(batch[std::min(i + kAhead, batch.size() - 1)]);
      const size_t at = elements.size();
      if (IsFrame(batch[i].payload)) {
        frames.Refine(batch[i], refined.texts, elements);
      } else {
        const FlatFields& fields = parser.Parse(batch[i].payload, refined.texts);
        refined.unknown_fields += static_cast<uint64_t>(fields.unknown_fields);
        FillElement(fields, batch[i], options, refined.texts, elements.emplace_back());
      }
      refined.ingest_ts.push_back(elements[at].row.ingest_ts);
      refined.ends.push_back(static_cast<uint32_t>(elements.size()));
    }
    const auto payloads = std::span(refined.payloads).subspan(begin, size);
    HashPayloads(batch.subspan(begin, size), payloads);
    const auto stretch = std::span(elements).subspan(first);
    const auto ends = std::span<const uint32_t>(refined.ends).subspan(begin, size);
    identifier.Identify(stretch, OfElements(payloads, ends, first, payload_of), options);
  }
  parser.TakeUnknownNames(refined.unknown_names);
  if (frames.unknown_fields() != 0) refined.unknown_names["(frames)"] = frames.unknown_fields();
  refined.unknown_fields += frames.unknown_fields();
  return refined;
}

}  // namespace medallion::ocpp
