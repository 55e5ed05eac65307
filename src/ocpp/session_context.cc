#include "session_context.h"

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "medallion/base/arena.h"
#include "medallion/base/pack.h"

namespace medallion::ocpp {

// The bytes: a version, then the row of base/pack.h with these fields in this order.
template <class Row, class Visitor>
  requires std::same_as<std::remove_const_t<Row>, SessionContext>
void VisitFields(Row& row, Visitor&& visit) {
  visit(row.start_ts), visit(row.connector_id);
  visit(row.transaction_id), visit(row.aliases), visit(row.inferred), visit(row.rejected);
  visit(row.superseded_by), visit(row.previous_stop_wh), visit(row.rebooted_at), visit(row.faulted_at);
  visit(row.ingest_max);
}

namespace {

constexpr char kVersion = 1;

}  // namespace

bool SessionContext::empty() const {
  const bool named = !transaction_id.empty() || !aliases.empty();
  const bool neighbours = superseded_by != kNoTime || previous_stop_wh.has_value();
  return !named && !inferred && !rejected && !neighbours && rebooted_at == kNoTime && faulted_at == kNoTime;
}

std::string PackContext(const SessionContext& context) {
  PackWriter writer;
  writer(context);
  return std::string(1, kVersion).append(writer.bytes());
}

std::optional<SessionContext> UnpackContext(std::string_view bytes) {
  if (bytes.empty() || bytes.front() != kVersion) return std::nullopt;
  Arena texts;
  PackReader reader(bytes.substr(1), texts);
  SessionContext context;
  reader(context);
  if (!reader.ok() || !reader.at_end()) return std::nullopt;
  return context;
}

}  // namespace medallion::ocpp
