#include "session_links.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "medallion/ocpp/epochs.h"
#include "medallion/ocpp/identify.h"
#include "register_series.h"
#include "resolve_timeline.h"
#include "session_energy.h"

namespace medallion::ocpp {
namespace {

bool IsStart(const ChargingElement& element) {
  return element.row.event_type == EventType::kStartTransaction;
}
bool IsHeader(const ChargingElement& element) {
  return IsStart(element) || element.row.event_type == EventType::kStopTransaction;
}

bool ArrivedBefore(const ChargingElement* a, const ChargingElement* b) {
  return a->identity.order < b->identity.order;
}

std::vector<std::string_view> Sorted(std::span<const std::string_view> packed) {
  std::vector<std::string_view> sorted(packed.begin(), packed.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// Bit i: both name value i, and differ.
uint8_t DifferenceOf(const Values& a, const Values& b) {
  uint8_t differs = 0;
  for (size_t i = 0; i < a.field.size(); ++i) {
    const bool known = ((a.known & b.known) >> i & 1) != 0;
    if (known && a.field[i] != b.field[i]) differs = static_cast<uint8_t>(differs | 1u << i);
  }
  return differs;
}

// The headers of one epoch: those of one type against the first of them in Silver.
class EpochSettler {
 public:
  // Whether the header is one of its epoch's; called in the order of settling.
  bool Keep(ChargingElement& header) {
    if (header.standing.fate != Fate::kSilver) return true;
    const auto [first, is_first] =
        firsts_.try_emplace({header.identity.fact, header.row.event_type}, &header);
    if (is_first) return true;
    const uint8_t differs = DifferenceOf(ValuesOf(first->second->row), ValuesOf(header.row));
    if (differs == 0) return false;
    header.standing.fate = Fate::kQuarantined;
    header.standing.conflict = true;
    header.standing.differs = differs;
    return true;
  }

 private:
  std::map<std::pair<uint32_t, EventType>, const ChargingElement*> firsts_;
};

// A header that contradicts one of another epoch contradicts nothing: where the unit was cut, the starts were not known.
void Restore(std::vector<ChargingElement>& headers) {
  std::map<ElementId, const ChargingElement*> silver;
  for (const ChargingElement& header : headers) {
    if (header.standing.fate == Fate::kSilver) silver.emplace(IdOf(header.identity.order), &header);
  }
  for (ChargingElement& header : headers) {
    if (!header.standing.conflict) continue;
    const auto winner = silver.find(IdOf(header.standing.winner()));
    if (winner != silver.end() && winner->second->identity.fact != header.identity.fact) header.standing = {};
  }
}

// The session's own registers, in order of time.
std::vector<Register> OwnRegisters(const SessionFacts& session, const Options& options) {
  std::vector<Register> own;
  for (const ChargingElement* fact : session.silver) {
    const bool counts = IsHeader(*fact) || HasTransactionId(fact->row, options);
    if (counts && fact->row.meter_wh.has_value() && !CannotBe(*fact->row.meter_wh))
      own.push_back({fact->row.event_ts, *fact->row.meter_wh});
  }
  return own;
}

// Whether the register cannot lie between its neighbours, which agree with one another.
bool IsStranger(const Register& reading, const std::vector<Register>& own, const Limits& limits) {
  const auto after = std::upper_bound(own.begin(), own.end(), reading.ts,
                                      [](UtcTime ts, const Register& r) { return ts < r.ts; });
  const bool has_before = after != own.begin(), has_after = after != own.end();
  const bool breaks =
      (has_before && !GoesOn(after[-1], reading, limits)) || (has_after && !GoesOn(reading, *after, limits));
  return breaks && (!has_before || !has_after || GoesOn(after[-1], *after, limits));
}

void LeaveOutStrangers(const Options& options, SessionFacts& session) {
  const std::vector<Register> own = OwnRegisters(session, options);
  const ChargingEvent& first = session.silver.front()->row;
  const Limits limits =
      LimitsOf(first.charge_point_id, FirstKnown(session, &ChargingEvent::connector_id), options);
  std::set<EntityKey> strangers;
  for (const ChargingElement* fact : session.silver) {
    const ChargingEvent& row = fact->row;
    if (IsHeader(*fact) || HasTransactionId(row, options) || !row.meter_wh.has_value()) continue;
    if (IsStranger({row.event_ts, *row.meter_wh}, own, limits)) strangers.insert(fact->entity);
  }
  std::erase_if(session.silver, [&](const ChargingElement* fact) {
    return !IsHeader(*fact) && !HasTransactionId(fact->row, options) && strangers.contains(fact->entity);
  });
}

// The id as its first fact under it writes it.
std::string_view ShownId(const SessionFacts& session, const Options& options) {
  const auto named = std::find_if(session.silver.begin(), session.silver.end(),
                                  [&](const auto* fact) { return HasTransactionId(fact->row, options); });
  return named == session.silver.end() ? std::string_view() : (*named)->row.transaction_id;
}

}  // namespace

Told::Told(std::span<const std::string_view> packed) {
  for (const std::string_view bytes : Sorted(packed)) {
    auto context = UnpackContext(bytes);
    if (!context.has_value()) continue;
    by_start_[context->start_ts].push_back(all_.size());
    all_.push_back(*std::move(context));
  }
}

const SessionContext* Told::Of(UtcTime start_ts, const std::optional<int32_t>& connector_id) const {
  const auto at_once = by_start_.find(start_ts);
  if (at_once == by_start_.end()) return nullptr;
  const auto is_its = [&](size_t i) {
    const bool known = all_[i].connector_id.has_value() && connector_id.has_value();
    return !known || all_[i].connector_id == connector_id;
  };
  const auto found = std::find_if(at_once->second.begin(), at_once->second.end(), is_its);
  return found == at_once->second.end() ? nullptr : &all_[*found];
}

uint64_t PrintOf(std::span<const std::string_view> packed) {
  if (packed.empty()) return 0;
  JoinedFields fields;
  for (const std::string_view bytes : Sorted(packed)) fields.Add(bytes);
  return Fingerprint(fields.text()) | 1;
}

Root RootOf(const Facts& facts, const Told& contexts, const Options& options) {
  Root root;
  root.told = &contexts;
  for (const SessionContext& context : contexts.all()) {
    const std::string& id = context.transaction_id;
    const bool first = root.transaction_id.empty() || resolving::IdLess(id, root.transaction_id);
    if (!id.empty() && first) root.transaction_id = id;
  }
  for (const ChargingElement* fact : facts) {
    if (root.transaction_id.empty() && HasTransactionId(fact->row, options))
      root.transaction_id = fact->row.transaction_id;
  }
  root.has_id = !root.transaction_id.empty();
  if (root.has_id) root.session_id = SessionId(facts.front()->row.charge_point_id, root.transaction_id);
  return root;
}

std::vector<ChargingElement> SettleUnits(Facts& facts, const Told& contexts, const Options& options) {
  Facts settling;
  std::copy_if(facts.begin(), facts.end(), std::back_inserter(settling),
               [](const ChargingElement* fact) { return IsHeader(*fact); });
  const bool one_unit = std::all_of(settling.begin(), settling.end(), [&](const ChargingElement* header) {
    return header->identity.unit == settling.front()->identity.unit;
  });
  if (one_unit) return {};
  std::sort(settling.begin(), settling.end(), ArrivedBefore);
  std::vector<ChargingElement> headers;
  headers.reserve(settling.size());
  for (const ChargingElement* header : settling) headers.push_back(*header);
  Facts unit;
  for (ChargingElement& header : headers) {
    const SessionContext* context =
        IsStart(header) ? contexts.Of(header.row.event_ts, header.row.connector_id) : nullptr;
    if (context != nullptr && header.row.transaction_id.empty())
      header.row.transaction_id = context->transaction_id;
    unit.push_back(&header);
  }
  std::vector<uint32_t> epochs(headers.size());
  CutEpochs(unit, epochs, options);
  for (size_t i = 0; i < headers.size(); ++i) headers[i].identity.fact = epochs[i];

  Restore(headers);

  std::erase_if(facts, [](const ChargingElement* fact) { return IsHeader(*fact); });
  EpochSettler settler;
  for (ChargingElement& header : headers) {
    if (settler.Keep(header)) facts.push_back(&header);
  }
  SortFacts(facts);
  return headers;
}

void Complete(const Root& root, const Told& contexts, const Options& options, SessionFacts& session) {
  LeaveOutStrangers(options, session);
  if (session.start != nullptr) {
    session.context = contexts.Of(session.start->row.event_ts, session.start->row.connector_id);
  }
  const auto joined = [&](const ChargingElement* fact) {
    return fact->row.event_type != EventType::kStartTransaction && !HasTransactionId(fact->row, options);
  };
  session.joined =
      session.start != nullptr && std::any_of(session.silver.begin(), session.silver.end(), joined);
  if (!session.has_id) return;
  const bool told = session.context != nullptr && !session.context->transaction_id.empty();
  session.transaction_id = told ? session.context->transaction_id : ShownId(session, options);
  if (session.transaction_id.empty()) session.transaction_id = root.transaction_id;
}

}  // namespace medallion::ocpp
