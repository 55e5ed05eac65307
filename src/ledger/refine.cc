#include "medallion/ledger/refine.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/json_tree.h"
#include "connect_values.h"
#include "draft.h"
#include "judge.h"
#include "medallion/ledger/identify.h"
#include "read_change.h"
#include "read_native.h"
#include "wrapper.h"

namespace medallion::ledger {
namespace {

using json::Kind;
using json::Node;
using json::Tree;
using reading::ChangeRecord;
using reading::Code;
using reading::Draft;

class Refiner {
 public:
  Refiner(const Options& options, Refined<LedgerEvent>& refined) : options_(options), refined_(refined) {}

  void Refine(const BronzeRecord& given);

 private:
  bool Parse(Tree& tree, std::string_view text, Draft& draft);
  void Read(const BronzeRecord& record, Draft& draft);
  void ReadValue(const Tree& tree, const Node& value, ChangeRecord record, Draft& draft);
  UtcTime IngestTime(const BronzeRecord& record, const Draft& draft) const;

  const Options& options_;
  Refined<LedgerEvent>& refined_;
  Tree tree_, inner_;  // of the payload, and of a value that is JSON as text
  UtcTime ingested_at_ = kNoTime;
};

bool Refiner::Parse(Tree& tree, std::string_view text, Draft& draft) {
  if (!tree.Parse(text, refined_.texts)) {
    draft.Find(Code::kCorruptPayload, "problem", tree.problem());
  } else if (tree.has_repeats()) {
    draft.Find(Code::kCorruptPayload, "problem", "a name twice in one object, with two values");
  }
  return !draft.Breaks(Code::kCorruptPayload);
}

void Refiner::ReadValue(const Tree& tree, const Node& value, ChangeRecord record, Draft& draft) {
  const Node* object = &value;
  const Node* payload = tree.Member(object, "payload");
  const bool alone = payload != nullptr && tree.First(value) == payload && payload->end == value.end;
  if (payload != nullptr && (alone || tree.Member(object, "schema") != nullptr)) {
    record.schema = tree.Find(object, "schema");
    object = payload;
  }
  if (object->kind == Kind::kNull) {
    draft.ignored = "TOMBSTONE";
    return;
  }
  if (object->kind != Kind::kObject) return draft.Find(Code::kCorruptPayload, "problem", "no object");
  if (const Node* time = tree.Find(object, "_ingested_at"); time != nullptr && time->kind == Kind::kText) {
    if (const auto parsed = ParseTime(time->text)) ingested_at_ = parsed->time;
  }
  if (reading::IsChange(tree, *object)) {
    record.value = object;
    return reading::ReadChange(record, options_, refined_.texts, draft);
  }
  refined_.unknown_fields += static_cast<uint64_t>(reading::ReadNative(tree, *object, options_, draft));
}

void Refiner::Read(const BronzeRecord& record, Draft& draft) {
  ingested_at_ = kNoTime;
  if (record.payload.size() > options_.payload_bytes_max) {
    return draft.Find(Code::kCorruptPayload, "problem", "larger than payload_bytes_max");
  }
  if (!Parse(tree_, record.payload, draft)) return;
  const Node& root = tree_.root();
  ChangeRecord change{.tree = tree_, .headers_tree = tree_, .key = record.key};
  if (!reading::Wraps(tree_, root)) return ReadValue(tree_, root, change, draft);
  change.headers = tree_.Find(&root, "headers");
  if (const Node* key = tree_.Find(&root, "key")) change.key = key->text;
  const Node& value = *tree_.Member(&root, "value");
  if (value.kind != Kind::kText) return ReadValue(tree_, value, change, draft);
  if (!Parse(inner_, json::Padded(value.text, refined_.texts), draft)) return;
  const ChangeRecord inner{
      .tree = inner_, .headers_tree = tree_, .headers = change.headers, .key = change.key};
  ReadValue(inner_, inner_.root(), inner, draft);
}

UtcTime Refiner::IngestTime(const BronzeRecord& record, const Draft& draft) const {
  if (record.ingest_ts != kNoTime) return record.ingest_ts;
  if (ingested_at_ != kNoTime) return ingested_at_;
  return draft.marker_ts != kNoTime ? draft.marker_ts : draft.event.recorded_at;
}

void Refiner::Refine(const BronzeRecord& given) {
  Arena& texts = refined_.texts;
  BronzeRecord record = given;
  record.payload = json::Padded(given.payload, texts);
  record.key = texts.Copy(given.key);
  record.at.topic = texts.Copy(given.at.topic);
  Draft draft;
  Read(record, draft);
  const Digest payload = Sha256(record.payload);
  const UtcTime ingest_ts = IngestTime(record, draft);
  const std::string violations =
      draft.ignored.empty() ? reading::Judge(draft, options_, texts) : std::string();

  LedgerElement& element = refined_.elements.emplace_back();
  LedgerEvent& row = element.row = draft.event;
  const UtcTime event_ts = draft.ignored.empty() ? row.recorded_at : draft.marker_ts;
  element.identity.event_id = Fingerprint(row.event_id);
  element.identity.order = {.event_ts = event_ts,
                            .ingest_ts = ingest_ts,
                            .event_id = row.event_id,
                            .at = record.at,
                            .payload = payload};
  if (!draft.ignored.empty()) {
    element.standing.fate = Fate::kIgnored;
    element.reason = draft.ignored;
    if (!draft.detail.empty()) element.detail = texts.Copy(draft.detail += "}");
  } else if (!violations.empty()) {
    element.standing.fate = Fate::kQuarantined;
    element.violations = texts.Copy(violations);
    element.detail = std::exchange(row.detail, {});
  } else {
    Identify(element);
  }
  if (row.change.has_value() && !row.change->tx_id.empty()) element.milestone = Milestone::kMilestone;
  AttachIdentity(row, element.identity);
  refined_.ends.push_back(static_cast<uint32_t>(refined_.elements.size()));
  refined_.ingest_ts.push_back(ingest_ts);
  refined_.payloads.push_back(payload);
}

}  // namespace

Refined<LedgerEvent> Refine(std::span<const BronzeRecord> batch, const Options& options) {
  Refined<LedgerEvent> refined;
  refined.elements.reserve(batch.size()), refined.payloads.reserve(batch.size());
  refined.ends.reserve(batch.size()), refined.ingest_ts.reserve(batch.size());
  Refiner refiner(options, refined);
  for (const BronzeRecord& record : batch) refiner.Refine(record);
  return refined;
}

}  // namespace medallion::ledger
