// The laws of resolving, over random timelines: the links of a span are those of the whole timeline, however much of it
// is seen; and replacing spans change by change ends where one resolution over everything does.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "../catch.h"
#include "../laws.h"
#include "medallion/base/arena.h"
#include "medallion/ocpp/identify.h"
#include "medallion/ocpp/resolve_transactions.h"
#include "src/ocpp/session_context.h"
#include "timeline_builder.h"

namespace medallion::ocpp {
namespace {

using medallion::testing::LawSeeds;
using Elements = std::vector<ChargingElement>;
using Links = std::vector<Link>;

constexpr int64_t kBegin = 1'760'000'000 * kMicrosPerSecond;

class Maker {
 public:
  explicit Maker(uint32_t seed, Arena& texts) : random_(seed), texts_(texts) {
    span_days_ = std::vector<int>{1, 3, 20, 60, 250}[Below(5)];
    connectors_ = 1 + Below(3);
    ids_ = 1 + Below(12);
    rejections_ = Below(3) == 0;
    answers_ = Below(4);
    loose_ = Below(4) != 0;
    version2_ = Below(3) == 0;
  }

  Elements Make() {
    const size_t count = 2 + Below(40);
    Elements elements;
    while (elements.size() < count) Session(elements);
    return elements;
  }
  size_t Below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }

 private:
  // Times lie on a coarse grid, so that many are equal or a bound apart.
  UtcTime Time() {
    const auto day = static_cast<int64_t>(Below(static_cast<size_t>(span_days_)));
    const auto quarter = static_cast<int64_t>(Below(8));
    return {kBegin + day * kMicrosPerDay + quarter * 3 * kMicrosPerHour};
  }
  UtcTime After(UtcTime time) {
    static constexpr int64_t kSteps[] = {0,     1,     60,     3600,   7200,   86399,
                                         86400, 86401, 259200, 604800, 604801, 1209600};
    return {time.us + kSteps[Below(Below(3) == 0 ? 12 : 6)] * kMicrosPerSecond};
  }
  std::string_view Text(const std::string& text) { return texts_.Copy(text); }

  ChargingElement Element(EventType type, UtcTime at) {
    ChargingElement element;
    ChargingEvent& row = element.row;
    row.event_type = type;
    row.charge_point_id = "CP-A";
    row.event_ts = at;
    row.ingest_ts = Below(4) == 0 ? After(at) : UtcTime{at.us + kMicrosPerSecond};
    row.at = {"ocpp", 0, static_cast<int64_t>(++offset_)};
    row.event_id = Text("m" + std::to_string(Below(6)));
    row.ocpp_version = version2_ ? "2.0.1" : "1.6";
    if (Below(3) == 0) row.connection_id = Below(2) == 0 ? "x" : "y";
    element.milestone = Milestone::kMilestone;
    return element;
  }
  void Finish(ChargingElement& element, Elements& elements) {
    static const Options options;
    ChargingEvent& row = element.row;
    element.identity = Identify(row, Sha256(std::to_string(row.at.offset)), options);
    row.business_key = element.identity.business_key;
    element.entity = EntityOf(row, element.identity, options);
    if (row.event_type == EventType::kMeterValues && !HasTransactionId(row, options)) {
      element.entity =
          Sha256(std::to_string(row.event_ts.us) + "|" + std::to_string(row.connector_id.value_or(-1)));
    }
    elements.push_back(element);
  }
  std::string_view Id(bool loose) {
    if (loose) return std::vector<std::string_view>{"-1", "0", ""}[Below(3)];
    return Text(std::to_string(1 + Below(ids_)));
  }
  void SetMeter(ChargingEvent& row) {
    if (Below(8) == 0) return;
    row.meter_wh = Thousandths{static_cast<int64_t>(Below(5)) * 1'000'000};
    row.value = Text(std::to_string(row.meter_wh->units / 1000));
  }
  void SetPlace(ChargingEvent& row) {
    if (Below(version2_ ? 2 : 8) != 0) row.connector_id = static_cast<int32_t>(1 + Below(connectors_));
    if (Below(version2_ ? 2 : 12) == 0)
      row.evse_id = static_cast<int32_t>(1 + Below(version2_ ? connectors_ : 1));
  }
  void SetTag(ChargingEvent& row) {
    if (Below(3) != 0) row.id_tag_hash = Below(2) == 0 ? "aa" : "bb";
  }

  ChargingElement MakeStart(UtcTime at) {
    ChargingElement start = Element(EventType::kStartTransaction, at);
    SetMeter(start.row), SetPlace(start.row), SetTag(start.row);
    if (!loose_ || Below(3) == 0) start.row.transaction_id = Id(false);
    return start;
  }
  void Answer(const ChargingEvent& start, Elements& elements) {
    ChargingElement result = Element(EventType::kUnknown, After(start.ingest_ts));
    result.row.ingest_ts = result.row.event_ts;
    if (Below(8) != 0) result.row.event_id = start.event_id;
    result.row.transaction_id = Id(Below(6) == 0);
    result.row.authorization = rejections_ && Below(2) == 0 ? "Blocked" : "Accepted";
    result.standing.fate = Fate::kIgnored;
    Finish(result, elements);
  }
  void Session(Elements& elements) {
    ChargingElement start = MakeStart(Time());
    const size_t copies = Below(6) == 0 ? 2 : 1;
    for (size_t i = 0; i < copies; ++i) {
      start.row.at.offset = static_cast<int64_t>(++offset_);
      if (i > 0) start.row.ingest_ts = After(start.row.ingest_ts);
      if (i > 0 && Below(3) == 0) {  // reported without a clock: the copy stands where it came
        start.row.reported_ts = start.row.event_ts;
        start.row.event_ts = start.row.ingest_ts;
      }
      if (i > 0) start.standing.fate = Fate::kBusinessDuplicate;
      Finish(start, elements);
      for (size_t n = Below(answers_ + 1); loose_ && n > 0; --n) Answer(start.row, elements);
    }
    UtcTime at = start.row.event_ts;
    for (size_t n = Below(4); n > 0; --n) Other(at = After(at), elements);
  }
  void Other(UtcTime at, Elements& elements) {
    static constexpr EventType kTypes[] = {EventType::kStopTransaction, EventType::kMeterValues,
                                           EventType::kStatusNotification, EventType::kUnknown};
    const EventType type = kTypes[Below(6) < 3 ? 0 : Below(4)];
    ChargingElement element = Element(type, at);
    ChargingEvent& row = element.row;
    if (type == EventType::kUnknown) {
      row.action = "BootNotification", row.event_ts = row.ingest_ts, element.standing.fate = Fate::kIgnored;
    } else if (type == EventType::kStatusNotification) {
      row.connector_status = "Faulted", SetPlace(row);
    } else {
      row.transaction_id = Id(loose_ && Below(2) == 0);
      SetMeter(row);
      const bool stop = type == EventType::kStopTransaction;
      if (!stop || Below(3) == 0) SetPlace(row);
      if (stop) SetTag(row);
      if (!stop) row.measurand = "Energy.Active.Import.Register";
      if (!stop && HasTransactionId(row, {})) {
        element.milestone = Below(3) == 0 ? Milestone::kMilestone : Milestone::kDetail;
        row.context = Below(2) == 0 ? "Transaction.Begin" : "Transaction.End";
      }
    }
    Finish(element, elements);
  }

  std::mt19937 random_;
  Arena& texts_;
  size_t offset_ = 0;
  int span_days_ = 1;
  size_t connectors_ = 1, ids_ = 1, answers_ = 1;
  bool rejections_ = false, loose_ = true, version2_ = false;
};

TimeSpan Everything() { return {{kBegin - 1000 * kMicrosPerDay}, {kBegin + 2000 * kMicrosPerDay}}; }

bool StandsIn(const ChargingElement& element, const TimeSpan& span) {
  const auto in = [&](UtcTime time) { return span.from <= time && time <= span.to; };
  return in(element.row.event_ts) || in(element.row.ingest_ts);
}

// A start under its id has the number of the starts before it.
ChargingElement Numbered(ChargingElement element, const Elements& all) {
  for (const ChargingElement& other : all) {
    const bool before = other.row.event_type == EventType::kStartTransaction &&
                        other.entity == element.entity && other.identity.order < element.identity.order;
    if (before && element.row.event_type == EventType::kStartTransaction) ++element.identity.fact;
  }
  return element;
}

Elements Seen(const Elements& all, const TimeSpan& span, bool details) {
  Elements seen;
  for (const ChargingElement& element : all) {
    if (StandsIn(element, span) && (details || element.milestone == Milestone::kMilestone))
      seen.push_back(Numbered(element, all));
  }
  return seen;
}

struct Hints {
  bool went = true, loose = true;
};

// As the kernel does it: sees more until the resolution is settled.
Resolution Settled(const Elements& all, const TimeSpan& touched, TimeSpan seen, bool details, Hints hints) {
  for (int round = 0; round < 100; ++round) {
    const Elements elements = Seen(all, seen, details);
    Resolution answer = ResolveTransactions({.touched = touched,
                                             .seen = seen,
                                             .details = details,
                                             .elements = elements,
                                             .went = hints.went,
                                             .loose = hints.loose},
                                            {});
    if (answer.settled) return answer;
    REQUIRE((seen == TimeSpan{} || answer.need.from <= seen.from));
    REQUIRE(answer.need.from >= UtcTime{touched.from.us - 3000 * kMicrosPerDay});
    REQUIRE(answer.need.to >= seen.to);
    REQUIRE((answer.need != seen || (answer.need_details && !details)));
    seen = answer.need;
    details = details || answer.need_details;
  }
  FAIL("never settled");
  return {};
}

// For a failure to show.
std::string Short(const EntityKey& key) {
  std::string out;
  AppendHex(key, out);
  return out.substr(0, 6);
}
std::vector<std::string> Shown(const Links& links) {
  std::vector<std::string> shown;
  for (const Link& link : links) {
    std::string text = FormatTime(link.at) + " " + Short(link.entity) + " -> " + Short(link.root);
    if (const auto context = UnpackContext(link.context); context.has_value()) {
      text += " id=" + context->transaction_id + " aliases=" + std::to_string(context->aliases.size());
      text += context->inferred ? " inferred" : "";
      text += context->rejected ? " rejected" : "";
      const auto tell = [&](const char* name, UtcTime time) {
        if (time != kNoTime) text.append(" ").append(name).append("=").append(FormatTime(time));
      };
      tell("superseded", context->superseded_by), tell("rebooted", context->rebooted_at);
      tell("faulted", context->faulted_at), tell("ingest", context->ingest_max);
      if (context->previous_stop_wh) text += " previous=" + std::to_string(context->previous_stop_wh->units);
    }
    shown.push_back(std::move(text));
  }
  return shown;
}

std::string Shown(const Elements& elements) {
  std::string text;
  for (const ChargingElement& e : elements) {
    text += "\n" + FormatTime(e.row.event_ts) + " came " + FormatTime(e.row.ingest_ts) + " " +
            std::string(EventTypeName(e.row.event_type)) + std::string(e.row.action) +
            " id=" + std::string(e.row.transaction_id) + " m=" + std::string(e.row.event_id) +
            " con=" + std::to_string(e.row.connector_id.value_or(-1)) + "/" +
            std::to_string(e.row.evse_id.value_or(-1)) + " wh=" + std::string(e.row.value) +
            " tag=" + std::string(e.row.id_tag_hash) + " " + std::string(e.row.authorization) + " " +
            Short(e.entity) + " " + std::string(e.row.connection_id) +
            (e.standing.fate == Fate::kSilver ? "" : " not silver");
  }
  return text;
}

Links Whole(const Elements& all) { return Settled(all, Everything(), Everything(), true, {}).links; }

Links In(const Links& links, const TimeSpan& span) {
  Links in;
  for (const Link& link : links) {
    if (span.from <= link.at && link.at <= span.to) in.push_back(link);
  }
  return in;
}

void Replace(const Resolution& answer, Links& links) {
  std::erase_if(links,
                [&](const Link& link) { return answer.span.from <= link.at && link.at <= answer.span.to; });
  links.insert(links.end(), answer.links.begin(), answer.links.end());
  std::sort(links.begin(), links.end());
}

bool AnyLoose(const Elements& all) {
  return std::any_of(all.begin(), all.end(), [](const ChargingElement& e) { return IsLoose(e, {}); });
}

TimeSpan TouchedBy(const ChargingElement& element) {
  return {std::min(element.row.event_ts, element.row.ingest_ts),
          std::max(element.row.event_ts, element.row.ingest_ts)};
}

TEST_CASE("resolve law: a span's links are those of the whole timeline, however much is seen") {
  for (uint32_t seed = 0; seed < LawSeeds(); ++seed) {
    CAPTURE(seed);
    Arena texts;
    Maker maker(seed, texts);
    const Elements all = maker.Make();
    const Links whole = Whole(all);
    for (int i = 0; i < 6; ++i) {
      TimeSpan touched = TouchedBy(all[maker.Below(all.size())]);
      if (maker.Below(3) == 0) touched.to.us += static_cast<int64_t>(maker.Below(20)) * kMicrosPerDay;
      TimeSpan seen = maker.Below(3) == 0 ? TimeSpan{} : touched;  // nothing
      if (maker.Below(2) == 0 && seen == touched)
        seen.from.us -= static_cast<int64_t>(maker.Below(100)) * kMicrosPerDay;
      if (maker.Below(2) == 0 && seen.to == touched.to)
        seen.to.us += static_cast<int64_t>(maker.Below(100)) * kMicrosPerDay;
      const Hints hints{.went = maker.Below(2) == 0, .loose = AnyLoose(all) || maker.Below(2) == 0};
      CAPTURE(i, touched.from.us, touched.to.us, hints.went, hints.loose);
      const Resolution answer = Settled(all, touched, seen, maker.Below(2) == 0, hints);
      REQUIRE(answer.span.from <= touched.from);
      REQUIRE(answer.span.to >= touched.to);
      REQUIRE(Shown(answer.links) == Shown(In(whole, answer.span)));
    }
  }
}

TEST_CASE("resolve law: changes one by one end where one resolution over everything does") {
  for (uint32_t seed = 0; seed < LawSeeds(); ++seed) {
    CAPTURE(seed);
    Arena texts;
    Maker maker(1'000'000 + seed, texts);
    const Elements all = maker.Make();
    std::vector<size_t> order(all.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (maker.Below(3) != 0) {
      for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[maker.Below(i)]);
    }
    Elements standing;
    Links links;
    bool loose = false;
    for (size_t step = 0; step < order.size(); ++step) {
      CAPTURE(step);
      const ChargingElement& changed = all[order[step]];
      TimeSpan touched = TouchedBy(changed);
      standing.push_back(changed);
      loose = loose || IsLoose(changed, {});
      bool went = false;
      if (maker.Below(6) == 0 && standing.size() > 1) {  // another goes
        const size_t gone = maker.Below(standing.size() - 1);
        const TimeSpan its = TouchedBy(standing[gone]);
        touched = {std::min(touched.from, its.from), std::max(touched.to, its.to)};
        standing.erase(standing.begin() + static_cast<std::ptrdiff_t>(gone));
        went = true;
      }
      CAPTURE(went, loose, Shown(standing));
      CAPTURE(FormatTime(touched.from), FormatTime(touched.to), Shown(Elements{changed}));
      Replace(Settled(standing, touched, touched, false, {.went = went, .loose = loose}), links);
      REQUIRE(Shown(links) == Shown(Whole(standing)));
    }
  }
}

TEST_CASE("resolve law: neither links nor rows depend on the order of anything") {
  const uint64_t seeds = std::max<uint64_t>(LawSeeds(), 100);  // enough for something of everything
  int joined = 0, learned = 0, aliased = 0, rejected = 0, neighbours = 0;
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    CAPTURE(seed);
    testing::History history;
    Maker maker(2'000'000 + seed, history.texts);
    history.elements = maker.Make();
    for (ChargingElement& element : history.elements) {
      if (element.standing.fate != Fate::kIgnored) element.standing = {};
    }
    testing::SettleAll({}, history);
    const Links links = testing::LinksOf(history);
    const std::vector<ChargingSession> rows = testing::SessionsOf(history, "23:00");
    for (size_t i = history.elements.size(); i > 1; --i) {
      std::swap(history.elements[i - 1], history.elements[maker.Below(i)]);
    }
    REQUIRE(Shown(testing::LinksOf(history)) == Shown(links));
    REQUIRE(testing::SessionsOf(history, "23:00") == rows);
    for (const Link& link : links) {
      const SessionContext context = UnpackContext(link.context).value_or(SessionContext());
      joined += link.context.empty() && link.root != link.entity;
      learned += context.inferred, aliased += !context.aliases.empty(), rejected += context.rejected;
      neighbours += context.superseded_by != kNoTime || context.previous_stop_wh.has_value();
    }
  }
  CHECK(std::min({joined, learned, aliased, rejected, neighbours}) > static_cast<int>(seeds / 20));
}

}  // namespace
}  // namespace medallion::ocpp
