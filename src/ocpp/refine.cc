#include "medallion/ocpp/refine.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "medallion/ocpp/identify.h"
#include "medallion/ocpp/normalize.h"
#include "medallion/ocpp/validate.h"

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
  const std::string codes = Validate(draft, options, texts);
  if (!draft.detail.empty()) element.row.detail = texts.Copy("{" + draft.detail + "}");
  if (codes.empty()) return;
  element.standing.fate = Fate::kQuarantined;
  element.violations = texts.Copy(codes);
  element.detail = element.row.detail;
}

// The digests of the records' payloads.
void HashPayloads(std::span<const BronzeRecord> records, std::span<Digest> digests) {
  std::array<std::string_view, kStretch> payloads;
  std::transform(records.begin(), records.end(), payloads.begin(),
                 [](const BronzeRecord& record) { return record.payload; });
  Sha256Each(std::span(payloads).first(records.size()), digests);
}

// Has the processor fetch the beginning of a payload that is read soon: it came long ago, and is first looked at here.
void Prefetch(std::string_view payload) {
#ifdef __GNUC__
  constexpr size_t kLine = 64;
  payload = payload.substr(0, 5 * kLine);  // more follows by itself
  for (size_t at = 0; at < payload.size(); at += kLine) __builtin_prefetch(payload.data() + at);
#else
  static_cast<void>(payload);
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
  refined.elements.reserve(batch.size() + batch.size() / 8);  // who writes them adds what else they change
  refined.ingest_ts.reserve(batch.size());
  refined.ends.reserve(batch.size());
  refined.payloads.resize(batch.size());
  FlatParser parser(options.schemas, options.payload_bytes_max);
  Identifier identifier;
  for (size_t begin = 0; begin < batch.size(); begin += kStretch) {
    const size_t size = std::min(kStretch, batch.size() - begin);
    refined.elements.resize(begin + size);
    const auto elements = std::span(refined.elements).subspan(begin, size);
    const auto payloads = std::span(refined.payloads).subspan(begin, size);
    for (size_t i = 0; i < size; ++i) {
      Prefetch(batch[std::min(begin + i + kAhead, batch.size() - 1)].payload);
      const FlatFields& fields = parser.Parse(batch[begin + i].payload, refined.texts);
      refined.unknown_fields += static_cast<uint64_t>(fields.unknown_fields);
      FillElement(fields, batch[begin + i], options, refined.texts, elements[i]);
      refined.ingest_ts.push_back(elements[i].row.ingest_ts);
      refined.ends.push_back(static_cast<uint32_t>(begin + i + 1));
    }
    HashPayloads(batch.subspan(begin, size), payloads);
    identifier.Identify(elements, payloads, options);
  }
  return refined;
}

}  // namespace medallion::ocpp
