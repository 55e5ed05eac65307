#include "medallion/launchpad/refine.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "medallion/base/digest.h"
#include "medallion/base/text.h"
#include "message_rows.h"
#include "read_message.h"

namespace medallion::launchpad {
namespace {

constexpr std::string_view kLossName = "\"declared_loss\":";

// A JSON object or array, member by member.
class JsonWriter {
 public:
  void Add(std::string_view name, std::string_view text) {
    Name(name);
    AppendJsonString(text, json_);
  }
  void Add(std::string_view name, int64_t number) {
    Name(name);
    json_ += std::to_string(number);
  }
  std::string Take() { return std::exchange(json_, {}) + "}"; }

 private:
  void Name(std::string_view name) {
    json_.push_back(json_.empty() ? '{' : ',');
    AppendJsonString(name, json_);
    json_.push_back(':');
  }
  std::string json_;
};

void AddCode(std::string_view code, std::string& json) {
  json.append(json.empty() ? "[\"" : ",\"").append(code).append("\"");
}
std::string_view Codes(std::string json, Arena& texts) {
  return json.empty() ? std::string_view() : texts.Copy(json += "]");
}

struct Findings {
  std::string violations, flags;  // JSON arrays, not closed
};

Findings Judge(const Message& m, const Options& options) {
  Findings findings;
  if (!m.corrupt.empty()) {
    AddCode("CORRUPT_PAYLOAD", findings.violations);
    return findings;
  }
  if (!m.ts_unit.empty()) AddCode("TS_UNIT_ASSUMED:" + std::string(m.ts_unit), findings.flags);
  if (m.ts_from_ingest) AddCode("TS_FROM_INGEST", findings.flags);
  for (const MessageRule& rule : options.rules) {
    if (!Violates(rule, m)) continue;
    AddCode(rule.code, rule.severity == Severity::kReject ? findings.violations : findings.flags);
  }
  return findings;
}

// Refines one record after the other.
class Refiner {
 public:
  Refiner(const Options& options, Refined<LaunchEvent>& refined)
      : options_(options), refined_(refined), outer_(options), inner_(options) {}

  void Take(const BronzeRecord& record) {
    record_ = record;
    record_.at.topic = Topic(record.at.topic);
    payload_ = Sha256(record.payload);
    ordinal_ = 0, line_ = 0;
    last_ingest_ = kNoTime;
    begin_ = refined_.elements.size();
    const UtcTime ingest_ts = TakePayload(record.payload);
    if (ordinal_ == 0) AddCorrupt("it holds no message", {});
    refined_.ingest_ts.push_back(ingest_ts);
    refined_.ends.push_back(static_cast<uint32_t>(refined_.elements.size()));
    refined_.payloads.push_back(payload_);
  }

 private:
  // Consecutive records share their topic's text.
  std::string_view Topic(std::string_view topic) {
    if (topic_ != topic || topic_.empty()) topic_ = refined_.texts.Copy(topic);
    return topic_;
  }

  // When the record was ingested: as given, else as its payload says.
  UtcTime TakePayload(std::string_view payload) {
    landed_ = record_.ingest_ts;
    if (!outer_.Read(payload)) {
      AddCorrupt(outer_.problem(), {});
      return record_.ingest_ts;
    }
    Envelope envelope;
    if (outer_.IsEnvelope(envelope)) return TakeEnvelope(envelope);
    TakeLine(outer_);
    if (IsTooLarge()) {
      Restart();
      AddCorrupt("too many rows", {});
    }
    return record_.ingest_ts != kNoTime ? record_.ingest_ts : last_ingest_;
  }

  UtcTime TakeEnvelope(const Envelope& envelope) {
    if (landed_ == kNoTime) landed_ = envelope.ingested_at;
    const EnvelopeContent content = CheckEnvelope(envelope, options_.decoders,
                                                  {options_.envelope_bytes_max, options_.envelope_lines_max});
    if (!content.code.empty()) {
      AddEnvelopeFault(content.code, envelope, content);
      return landed_;
    }
    constexpr int64_t kRowsALine = 3;  // about: growing would copy them all
    const int64_t rows = std::min(content.lines * kRowsALine, options_.rows_max);
    refined_.elements.reserve(refined_.elements.size() + static_cast<size_t>(rows));
    ReadLines(envelope, options_.decoders, [&](std::string_view line) {
      ++line_;
      if (IsTooLarge()) return;
      inner_.Read(line) ? TakeLine(inner_) : AddCorrupt(inner_.problem(), line);
    });
    if (IsTooLarge()) {
      Restart();
      AddEnvelopeFault("ENVELOPE_TOO_LARGE", envelope, {});
      return landed_;
    }
    if (envelope.event_count.has_value() && *envelope.event_count != content.lines) {
      AddEnvelopeFault("ENVELOPE_COUNT_MISMATCH", envelope, content);
    }
    if (envelope.uncompressed_bytes.has_value() && *envelope.uncompressed_bytes != content.bytes) {
      AddEnvelopeFault("ENVELOPE_SIZE_MISMATCH", envelope, content);
    }
    if (ordinal_ == 0) AddIgnored("EMPTY_ENVELOPE", landed_, landed_);  // as it says itself
    return landed_ != kNoTime ? landed_ : last_ingest_;
  }

  // Whether the record makes more rows than are kept of one.
  bool IsTooLarge() const {
    return refined_.elements.size() - begin_ > static_cast<size_t>(options_.rows_max);
  }
  // Forgets the record's rows.
  void Restart() {
    refined_.elements.resize(begin_);
    ordinal_ = 0, line_ = 0;
  }

  void TakeLine(const MessageReader& reader) {
    messages_.clear();
    reader.Messages(landed_, refined_.texts, messages_);
    if (messages_.empty() && line_ != 0) AddCorrupt("it holds no message", {});
    if (messages_.size() > kMessagesMax) return AddCorrupt("more than 100000 messages", {});
    for (const Message& m : messages_) {
      if (!IsTooLarge()) TakeMessage(m);
    }
  }

  LaunchElement& Add(const LaunchEvent& row) {
    LaunchElement& element = refined_.elements.emplace_back();
    element.row = row;
    element.row.line = line_;
    element.identity.event_id = Fingerprint(row.event_id);
    element.identity.order = {.event_ts = row.event_ts,
                              .ingest_ts = row.ingest_ts,
                              .event_id = row.event_id,
                              .at = record_.at,
                              .ordinal = ordinal_++,
                              .payload = payload_};
    return element;
  }

  void AddQuarantined(LaunchEvent row, std::string_view violations, std::string_view detail) {
    row.ingest_ts = row.ingest_ts == kNoTime ? landed_ : row.ingest_ts;
    LaunchElement& element = Add(row);
    element.standing.fate = Fate::kQuarantined;
    element.violations = violations;
    element.detail = refined_.texts.Copy(detail);
    AttachIdentity(element.row, element.identity);
  }

  void AddCorrupt(std::string_view problem, std::string_view line) {
    LaunchEvent row;
    row.raw = refined_.texts.Copy(line);
    JsonWriter detail;
    detail.Add("problem", problem);
    AddQuarantined(row, R"(["CORRUPT_PAYLOAD"])", detail.Take());
  }

  void AddEnvelopeFault(std::string_view code, const Envelope& envelope, const EnvelopeContent& content) {
    std::string codes;
    AddCode(code, codes);
    JsonWriter detail;
    detail.Add("codec", envelope.codec);
    if (envelope.event_count.has_value()) detail.Add("event_count", *envelope.event_count);
    if (envelope.uncompressed_bytes.has_value())
      detail.Add("uncompressed_bytes", *envelope.uncompressed_bytes);
    detail.Add("lines", content.lines);
    detail.Add("bytes", content.bytes);
    // Of two faults of one envelope the first counts what is lost.
    const bool counted =
        code == "ENVELOPE_SIZE_MISMATCH" && envelope.event_count.value_or(0) != content.lines;
    detail.Add("declared_loss", counted ? 0 : DeclaredLoss(envelope, content.lines));
    line_ = 0;
    AddQuarantined({}, Codes(std::move(codes), refined_.texts), detail.Take());
  }

  void TakeMessage(const Message& m) {
    last_ingest_ = std::max(last_ingest_, m.ingest_ts);
    Findings findings = Judge(m, options_);
    if (!m.acknowledgement.empty()) return AddIgnored("ACKNOWLEDGEMENT", m.event_ts, m.ingest_ts);
    const std::string_view flags = Codes(std::move(findings.flags), refined_.texts);
    std::vector<LaunchEvent> rows = RowsOf(m, refined_.texts);
    for (LaunchEvent& row : rows) row.flags = flags;
    if (!findings.violations.empty()) {
      JsonWriter detail;
      detail.Add("line", line_);
      if (!m.corrupt.empty()) detail.Add("problem", m.corrupt);
      if (m.action == LaunchAction::kUnknown) detail.Add("action", m.action_text);
      return AddQuarantined(rows[0], Codes(std::move(findings.violations), refined_.texts), detail.Take());
    }
    JoinedFields key;
    const Digest unit = key.Add("message").Add(m.signature).Add(m.mint).Sha256();
    for (const LaunchEvent& row : rows) AddSilver(row, unit);
  }

  void AddIgnored(std::string_view reason, UtcTime event_ts, UtcTime ingest_ts) {
    LaunchEvent row;
    row.event_ts = event_ts, row.ingest_ts = ingest_ts;
    LaunchElement& element = Add(row);
    element.standing.fate = Fate::kIgnored;
    element.reason = reason;
    AttachIdentity(element.row, element.identity);
  }

  void AddSilver(const LaunchEvent& row, const Digest& unit) {
    LaunchElement& element = Add(row);
    Identity& identity = element.identity;
    identity.unit = identity.business_key = unit;
    identity.cut = row.content;
    identity.values = ValuesOf(row);
    if (row.source == TradeSource::kCreateInitial) identity.order.event_ts.us += kBehindAllUs;
    element.entity = EntityOf(row.mint);
    AttachIdentity(element.row, identity);
  }

  // Quotes are no tokens whose risk is told.
  EntityKey EntityOf(std::string_view mint) {
    const auto is_quote = [&](const QuoteMint& quote) { return quote.mint == mint; };
    if (mint.empty() || std::any_of(options_.quote_mints.begin(), options_.quote_mints.end(), is_quote))
      return {};
    if (mint != mint_) mint_ = std::string(mint), entity_ = MintKey(mint);
    return entity_;
  }

  const Options& options_;
  Refined<LaunchEvent>& refined_;
  MessageReader outer_, inner_;
  std::vector<Message> messages_;
  std::string_view topic_;
  BronzeRecord record_;
  Digest payload_;
  size_t begin_ = 0;  // of the record's elements
  uint32_t ordinal_ = 0;
  int64_t line_ = 0;
  UtcTime landed_ = kNoTime, last_ingest_ = kNoTime;
  std::string mint_;  // the last one asked for, and its entity
  EntityKey entity_;
};

}  // namespace

EntityKey MintKey(std::string_view mint) {
  JoinedFields key;
  return key.Add("mint").Add(mint).Sha256();
}

Refined<LaunchEvent> Refine(std::span<const BronzeRecord> batch, const Options& options) {
  Refined<LaunchEvent> refined;
  Refiner refiner(options, refined);
  for (const BronzeRecord& record : batch) refiner.Take(record);
  return refined;
}

int64_t DeclaredLossOf(std::string_view detail) {
  const size_t at = detail.find(kLossName);
  int64_t loss = 0;
  if (at == detail.npos) return 0;
  for (size_t i = at + kLossName.size(); i < detail.size() && detail[i] >= '0' && detail[i] <= '9'; ++i) {
    loss = loss * 10 + (detail[i] - '0');
  }
  return loss;
}

}  // namespace medallion::launchpad
