#include "read_native.h"

#include <array>
#include <limits>
#include <optional>
#include <string_view>

#include "connect_values.h"
#include "medallion/ledger/assets.h"

namespace medallion::ledger::reading {
namespace {

using json::Kind;
using json::Node;
using json::Tree;

// The event's members by field; null where absent, null or an empty text.
class Fields {
 public:
  Fields(const Tree& tree, const Node& object, const EventSchema& schema) {
    for (const Node* member = tree.First(object); member != nullptr; member = tree.Next(object, *member)) {
      const auto field = schema.names.find(member->name);
      if (field == schema.names.end()) {
        ++unknown_;
      } else if (member->kind != Kind::kNull && !(member->is_text() && member->text.empty())) {
        nodes_[static_cast<size_t>(field->second)] = member;
      }
    }
  }
  const Node* operator[](Field field) const { return nodes_[static_cast<size_t>(field)]; }
  int unknown() const { return unknown_; }

 private:
  std::array<const Node*, kFields> nodes_{};
  int unknown_ = 0;
};

const EventSchema* SchemaOf(const Tree& tree, const Node& object, const Options& options) {
  const Node* version = tree.Find(&object, FieldName(Field::kSchemaVersion));
  if (version == nullptr) return options.schemas.empty() ? nullptr : &options.schemas.front();
  const std::optional<int64_t> number = connect::WholeOf(*version);
  for (const EventSchema& schema : options.schemas) {
    if (number == schema.version) return &schema;
  }
  return nullptr;
}

// A text, or a number where an id was written as one. Over `max` bytes it is a SCHEMA_MISMATCH; 0: any length.
std::string_view Text(const Fields& fields, Field field, size_t max, Draft& draft) {
  const Node* node = fields[field];
  if (node == nullptr) return {};
  const bool text = node->kind == Kind::kText || node->kind == Kind::kNumber;
  if (text && (max == 0 || node->text.size() <= max)) return node->text;
  draft.Find(Code::kSchemaMismatch, FieldName(field), node->text);
  return {};
}

Side SideOf(const Fields& fields, Field field, Draft& draft) {
  const Node* node = fields[field];
  if (node == nullptr) return Side::kNone;
  if (node->kind == Kind::kText && node->text == "D") return Side::kDebit;
  if (node->kind == Kind::kText && node->text == "C") return Side::kCredit;
  draft.Find(Code::kSchemaMismatch, FieldName(field), node->text);
  return Side::kNone;
}

UtcTime Time(const Fields& fields, Field field, Draft& draft) {
  const Node* node = fields[field];
  if (node == nullptr) return kNoTime;
  const auto parsed = node->kind == Kind::kText ? ParseTime(node->text) : std::nullopt;
  if (parsed && !parsed->offset_missing) return parsed->time;
  draft.Find(Code::kSchemaMismatch, FieldName(field), node->text);
  return kNoTime;
}

void ReadVersion(const Fields& fields, Draft& draft) {
  const Node* node = fields[Field::kAccountVersion];
  if (node == nullptr) return draft.Find(Code::kMissingVersion);
  const std::optional<int64_t> version = connect::WholeOf(*node);
  if (!version || *version < 1) {
    return draft.Find(Code::kSchemaMismatch, FieldName(Field::kAccountVersion), node->text);
  }
  draft.event.account_version = version;
}

void ReadAmount(const Fields& fields, Draft& draft) {
  const Node* node = fields[Field::kAmountMinor];
  const auto wrong = [&](Code code) { draft.Find(code, FieldName(Field::kAmountMinor), node->text); };
  if (node == nullptr) return;
  if (node->kind != Kind::kText && node->kind != Kind::kNumber) return wrong(Code::kAmountNotIntegerMinor);
  const bool negative = node->text.starts_with('-');
  const std::string_view digits = node->text.substr(negative ? 1 : 0);
  if (!IsDigits(digits)) return wrong(Code::kAmountNotIntegerMinor);
  if (negative) return wrong(Code::kAmountNegative);
  const std::optional<MinorUnits> amount = ParseWhole(digits);
  if (!amount || *amount > LargestAmount()) return wrong(Code::kAmountOverflow);
  draft.event.amount_minor = amount;
}

void ReadAsset(const Fields& fields, Draft& draft) {
  const std::string_view asset = Text(fields, Field::kAsset, 0, draft);
  draft.event.asset = asset;
  if (asset.empty() || AssetExponent(asset)) return;
  draft.Find(ContradictsIso(asset) ? Code::kAssetExponentMismatch : Code::kAssetUnknown,
             FieldName(Field::kAsset), asset);
}

// What the event's type needs. A release needs no amount: it takes away the whole of what was reserved.
void CheckNeeds(const Fields& fields, Draft& draft) {
  const LedgerEvent& event = draft.event;
  if (event.event_id.empty() && fields[Field::kEventId] == nullptr) draft.Find(Code::kMissingEventId);
  if (event.account_id.empty() && fields[Field::kAccountId] == nullptr) draft.Find(Code::kMissingAccountId);
  if (event.ledger.empty() && fields[Field::kLedger] == nullptr) draft.Find(Code::kSchemaMismatch, "ledger");
  if (fields[Field::kEffectiveAt] == nullptr || fields[Field::kRecordedAt] == nullptr) {
    draft.Find(Code::kMissingTime);
  }
  if (event.event_type == EventType::kNone) {
    const Node* type = fields[Field::kEventType];
    return draft.Find(Code::kUnknownEventType, "event_type", type == nullptr ? "" : type->text);
  }
  if (!IsTransfer(event.event_type) || event.event_type == EventType::kTransferReleased) return;
  if (fields[Field::kAmountMinor] == nullptr) draft.Find(Code::kMissingAmount);
  if (fields[Field::kAsset] == nullptr) draft.Find(Code::kAssetUnknown, "asset");
  if (fields[Field::kLeg] == nullptr) draft.Find(Code::kSchemaMismatch, "leg");
}

}  // namespace

int ReadNative(const Tree& tree, const Node& object, const Options& options, Draft& draft) {
  const EventSchema* schema = SchemaOf(tree, object, options);
  if (schema == nullptr) {
    const Node* version = tree.Find(&object, FieldName(Field::kSchemaVersion));
    draft.Find(Code::kSchemaMismatch, "schema_version", version == nullptr ? "" : version->text);
    return 0;
  }
  constexpr size_t kEventIdMax = 64, kLedgerMax = 32;
  const Fields fields(tree, object, *schema);
  LedgerEvent& event = draft.event;
  event.schema_version = schema->version;
  event.event_id = Text(fields, Field::kEventId, kEventIdMax, draft);
  event.event_type = EventTypeOf(Text(fields, Field::kEventType, 0, draft));
  event.ledger = Text(fields, Field::kLedger, kLedgerMax, draft);
  event.account_id = Text(fields, Field::kAccountId, 0, draft);
  ReadVersion(fields, draft);
  event.transfer_id = Text(fields, Field::kTransferId, 0, draft);
  event.leg = SideOf(fields, Field::kLeg, draft);
  event.counterparty_account_id = Text(fields, Field::kCounterpartyAccountId, 0, draft);
  ReadAmount(fields, draft);
  ReadAsset(fields, draft);
  event.reserved_transfer_id = Text(fields, Field::kReservedTransferId, 0, draft);
  event.reverses_transfer_id = Text(fields, Field::kReversesTransferId, 0, draft);
  event.normal_side = SideOf(fields, Field::kNormalSide, draft);
  event.effective_at = Time(fields, Field::kEffectiveAt, draft);
  event.recorded_at = Time(fields, Field::kRecordedAt, draft);
  event.correlation_id = Text(fields, Field::kCorrelationId, 0, draft);
  event.causation_id = Text(fields, Field::kCausationId, 0, draft);
  CheckNeeds(fields, draft);
  return fields.unknown();
}

}  // namespace medallion::ledger::reading
