// Results and errors: no charging facts, but a start's result brings its transaction id, and a boot's its interval.
// Source: the charging domain, 6.
#include <array>
#include <string>

#include "frames/messages.h"
#include "json_walk.h"
#include "medallion/base/text.h"
#include "medallion/ocpp/identify.h"

namespace medallion::ocpp {
namespace {

// Of idTagInfo and idTokenInfo; beside it they name persons.
constexpr auto kInfoFields = std::to_array<FieldSpec>({{"status", Shape::kText, Slot::kAuthorization}});
constexpr auto kSpecs = std::to_array<FieldSpec>({
    {"idTagInfo", Shape::kObject, Slot::kNone, kInfoFields},
    {"transactionId", Shape::kAny, Slot::kTransactionId},
    {"status", Shape::kText, Slot::kStatus},
    {"currentTime", Shape::kText, Slot::kCurrentTime},
    {"interval", Shape::kNumber, Slot::kInterval},
    {"idTokenInfo", Shape::kObject, Slot::kNone, kInfoFields},
});

void AddMember(std::string_view name, const FieldValue& value, std::string& object) {
  if (value.kind != JsonKind::kAbsent) AppendMember({name, value}, object);
}

// Only the back end's answer names a transaction that a start began, or refuses it.
void ReadResult(FrameContext& context, ChargingEvent& row) {
  const FrameFields& fields = context.frame.header;
  if (context.record.direction != Direction::kOut) return;
  Draft draft{.event = row};
  row.authorization = fields[Slot::kAuthorization].text;
  ReadFrameTransaction(fields[Slot::kTransactionId], IsVersion2(row.ocpp_version), draft, context.texts);
}

std::string_view DetailOf(const FrameFields& fields, const ChargingEvent& row, Arena& texts) {
  std::string detail;
  if (!row.transaction_id.empty()) AddMember("transaction_id", {JsonKind::kText, row.transaction_id}, detail);
  const bool answered = fields.Has(Slot::kAuthorization);
  AddMember("status", fields[answered ? Slot::kAuthorization : Slot::kStatus], detail);
  AddMember("interval", fields[Slot::kInterval], detail);
  AddMember("currentTime", fields[Slot::kCurrentTime], detail);
  return detail.empty() ? std::string_view() : texts.Copy(detail += "}");
}

}  // namespace

std::span<const FieldSpec> ResultFields() { return kSpecs; }

void AddAnswer(FrameContext& context) {
  const Frame& frame = context.frame;
  std::string code;
  if (frame.type != FrameType::kResult) AppendMember({"code", {JsonKind::kText, frame.code}}, code);
  if (!code.empty()) code += "}";
  ChargingElement& element = AddIgnored(context.texts.Copy(code), context);
  element.row.connection_id = context.record.connection_id;
  if (frame.type != FrameType::kResult || element.standing.fate != Fate::kIgnored) return;
  ReadResult(context, element.row);
  element.detail = DetailOf(frame.header, element.row, context.texts);
  if (!element.row.transaction_id.empty() || IsRefusal(element.row))
    element.milestone = Milestone::kMilestone;
}

}  // namespace medallion::ocpp
