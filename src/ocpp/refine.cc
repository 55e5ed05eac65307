#include "medallion/ocpp/refine.h"

#include <string>
#include <utility>
#include <vector>

#include "medallion/ocpp/identify.h"
#include "medallion/ocpp/normalize.h"
#include "medallion/ocpp/validate.h"

namespace medallion::ocpp {
namespace {

void ToElement(const FlatFields& fields, const BronzeRecord& record, const Digest& payload,
               std::span<const Rule<Draft>> rules, const Options& options, Arena& texts,
               ChargingElement& element) {
  Draft draft = Normalize(fields, record, options, texts);
  const std::string codes = Validate(draft, rules, options, texts);
  ChargingEvent& event = draft.event;
  if (!draft.detail.empty()) event.detail = texts.Copy("{" + draft.detail + "}");

  if (codes.empty()) {
    element.identity = Identify(event, payload, options);
    event.business_key = element.identity.business_key;
    element.entity = EntityOf(event, element.identity, options);
  } else {
    element.identity.order = OrderOf(event, payload);
    element.standing.fate = Fate::kQuarantined;
    element.violations = texts.Copy(codes);
    element.detail = event.detail;
  }
  element.row = event;
}

}  // namespace

ChargingElement RefineFields(const FlatFields& fields, const BronzeRecord& record, const Digest& payload,
                             const Options& options, Arena& texts) {
  ChargingElement element;
  ToElement(fields, record, payload, RulesOf(options), options, texts, element);
  return element;
}

Refined<ChargingEvent> Refine(std::span<const BronzeRecord> batch, const Options& options) {
  Refined<ChargingEvent> refined;
  refined.elements.reserve(batch.size());
  refined.ingest_ts.reserve(batch.size());
  const std::vector<Rule<Draft>> rules = RulesOf(options);
  FlatParser parser(options.schemas, options.payload_bytes_max);
  for (const BronzeRecord& record : batch) {
    const FlatFields fields = parser.Parse(record.payload, refined.texts);
    refined.unknown_fields += static_cast<uint64_t>(fields.unknown_fields);
    ChargingElement& element = refined.elements.emplace_back();
    ToElement(fields, record, Sha256(record.payload), rules, options, refined.texts, element);
    refined.ingest_ts.push_back(element.row.ingest_ts);
  }
  return refined;
}

}  // namespace medallion::ocpp
