#include "medallion/ledger/options.h"

#include <array>

namespace medallion::ledger {
namespace {

constexpr std::array<std::string_view, kFields> kFieldNames = {"event_id",
                                                               "event_type",
                                                               "schema_version",
                                                               "ledger",
                                                               "account_id",
                                                               "account_version",
                                                               "transfer_id",
                                                               "leg",
                                                               "counterparty_account_id",
                                                               "amount_minor",
                                                               "asset",
                                                               "reserved_transfer_id",
                                                               "reverses_transfer_id",
                                                               "normal_side",
                                                               "effective_at",
                                                               "recorded_at",
                                                               "correlation_id",
                                                               "causation_id",
                                                               "_ingested_at"};

}  // namespace

std::string_view FieldName(Field field) { return kFieldNames[static_cast<size_t>(field)]; }

EventSchema EventSchema::Version1() {
  EventSchema schema;
  for (int field = 0; field < kFields; ++field) {
    schema.names.emplace(FieldName(static_cast<Field>(field)), static_cast<Field>(field));
  }
  return schema;
}

Digest ModelVersion(const Options& options) {
  JoinedFields fields;
  fields.Add("ledger 1").Add(options.legs_wait_us);
  fields.Add(options.as_of.us).Add(options.known_as_of.us);
  return fields.Sha256();
}

}  // namespace medallion::ledger
