// A store of your own, complete, over std::map: the six functions of Store, which the run needs, and the
// three of Tables, for reading back. Where a line touches a map, yours would touch its database.
//
// It keeps elements as bytes (io/element_codec.h), and finds them by record, by unit and by entity. A
// database has a column and an index for each of these, and one for next_due_at. One thread at a time.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/base/arena.h"
#include "medallion/gold/derive_entities.h"
#include "medallion/io/element_codec.h"
#include "medallion/io/element_tables.h"
#include "medallion/io/memory_timelines.h"
#include "medallion/io/store.h"
#include "medallion/io/tables.h"
#include "medallion/silver/review.h"
#include "medallion/silver/tables.h"

template <class Pack>
class MapStore final : public medallion::Store<Pack>, public medallion::Tables {
 public:
  using Digest = medallion::Digest;
  using Element = medallion::Element<typename Pack::Event>;
  using GoldWrite = medallion::GoldWrite<typename Pack::Gold>;

  absl::Status Seen(std::span<const medallion::RecordId> records, medallion::SeenAnswer& answer) override {
    answer.checkpoint = checkpoint_;
    for (const medallion::RecordId& id : records) {
      const auto found = records_.find(KeyOf(id));
      std::optional<medallion::Arrival>& arrival = answer.arrivals.emplace_back();
      if (found == records_.end()) continue;
      const medallion::BronzeRecord& record = found->second;
      arrival = medallion::ArrivalOf(record);
    }
    return absl::OkStatus();
  }

  absl::Status Known(const medallion::KnownQuery<typename Pack::Event>& query,
                     medallion::KnownAnswer<typename Pack::Event>& answer) override {
    for (uint32_t i = 0; i < query.arrived.size(); ++i) {
      if (!query.arrived[i].to_settle()) continue;
      const std::optional<medallion::Glance> glance = GlanceAt(query.arrived[i].identity);
      if (!glance.has_value()) continue;
      answer.glances.push_back(*glance);
      answer.glances.back().arrived = i;
    }
    std::set<Digest> keys;  // each element once
    for (const Digest& unit : query.units) {
      for (const Digest& key : Members(of_unit_, unit)) keys.insert(key);
    }
    for (const medallion::RecordId& id : query.records) {
      for (const Digest& key : Members(of_record_, KeyOf(id))) keys.insert(key);
    }
    for (const Digest& key : keys) answer.elements.push_back(elements_.at(key).element);
    for (const medallion::Review& review : reviews_) {
      const auto& subjects = query.subjects;
      const bool asked = std::find(subjects.begin(), subjects.end(), review.subject) != subjects.end();
      if (asked || query.all_reviews) answer.reviews.push_back(review);
    }
    return absl::OkStatus();
  }

  // Elements are kept by their quarantine ids already; where an answer ended is told by the record's key.
  absl::Status Bronze(const medallion::BronzeQuery& query, medallion::BronzeAnswer& answer) override {
    std::set<Digest> keys;
    for (const medallion::RecordId& id : query.records) {
      if (records_.contains(KeyOf(id))) keys.insert(KeyOf(id));
    }
    for (const auto& [key, kept] : elements_) {
      if (!query.records.empty()) break;
      const auto& ids = query.quarantine_ids;
      if ((!ids.empty() || query.quarantined) && !IsInQuarantine(kept.element)) continue;
      if (!ids.empty() && std::find(ids.begin(), ids.end(), key) == ids.end()) continue;
      keys.insert(KeyOf(IdOf(kept.element.identity.order).record));
    }
    for (const Digest& key : keys) {
      if (!query.after.empty() && Hex(key).compare(query.after) <= 0) continue;
      answer.more = answer.records.size() >= query.records_max;
      if (answer.more) break;
      const medallion::BronzeRecord& record = records_.at(key);
      answer.records.push_back({.record = record, .id = IdOf(record)});
      answer.after = Hex(key);
    }
    return absl::OkStatus();
  }

  absl::Status History(const medallion::HistoryQuery& query,
                       medallion::HistoryAnswer<Pack>& answer) override {
    std::vector<Digest> entities(query.entities.begin(), query.entities.end());
    if (query.rollups) entities.insert(entities.end(), stale_rollups_.begin(), stale_rollups_.end());
    if (query.stale && !query.rollups && query.stale_skip < stale_.size()) {
      entities.insert(entities.end(),
                      std::next(stale_.begin(), static_cast<std::ptrdiff_t>(query.stale_skip)), stale_.end());
    }
    for (const auto& [at, key] : due_) {
      if (at <= query.due_by) entities.push_back(gold_.at(key).entity);
    }
    std::set<Digest> taken;
    for (const Digest& entity : entities) {
      if (!taken.insert(entity).second) continue;
      answer.more =
          answer.entities.size() + answer.elements.size() + answer.children.size() >= query.rows_max;
      if (answer.more) break;
      for (const Digest& member :
           links_.RootOf(entity) == entity ? WithJoined(entity) : std::vector<Digest>()) {
        for (const Digest& key : Members(of_entity_, member)) {
          const Element& element = elements_.at(key).element;
          if (medallion::IsHistory(element)) answer.elements.push_back(element);
        }
      }
      links_.Contexts(entity, answer.contexts);
      for (const Digest& key : Members(gold_of_parent_, entity)) answer.children.push_back(gold_.at(key).row);
      for (const Digest& key : Members(gold_of_entity_, entity)) {
        answer.versions.push_back({.entity = entity, .version = gold_.at(key).version});
      }
      answer.entities.push_back({.entity = entity,
                                 .elements_end = answer.elements.size(),
                                 .versions_end = answer.versions.size(),
                                 .contexts_end = answer.contexts.size(),
                                 .children_end = answer.children.size()});
      AnswerSighting(entity, answer);
    }
    return absl::OkStatus();
  }

  // Only for packs that resolve timelines, as the charging pack does.
  absl::Status Timelines(const medallion::TimelineQuery& query,
                         medallion::TimelineAnswer<typename Pack::Event>& answer) override {
    for (const auto& [subject, line] : touched_) {
      if (answer.touched.size() < query.touched_max) answer.touched.push_back({subject, line, false});
    }
    for (const medallion::TimelinePart& part : query.parts) {
      std::set<Digest> keys;  // each element once
      for (auto at = timelines_.lower_bound({part.subject, part.span.from, Digest{}});
           at != timelines_.end() && std::get<0>(*at) == part.subject && std::get<1>(*at) <= part.span.to;
           ++at) {
        const Element& element = elements_.at(std::get<2>(*at)).element;
        if (part.details || element.milestone == medallion::Milestone::kMilestone)
          keys.insert(std::get<2>(*at));
      }
      for (const Digest& key : keys) answer.elements.push_back(elements_.at(key).element);
      links_.Find(part, answer.links);
      answer.elements_end.push_back(answer.elements.size());
      answer.links_end.push_back(answer.links.size());
    }
    return absl::OkStatus();
  }

  // Over a database all of this is one transaction: all or nothing, the position included.
  absl::Status Apply(const medallion::Batch<Pack>& batch) override {
    for (const medallion::RecordWrite& write : batch.records) Put(write);
    for (const medallion::ElementId& id : batch.withdrawn) Withdraw(medallion::QuarantineId(id));
    for (const Element& element : batch.elements) Put(element);
    reviews_.insert(batch.reviews.begin(), batch.reviews.end());
    checkpoint_.reviews = static_cast<int64_t>(reviews_.size());
    for (const medallion::LinkWrite& write : batch.links) Put(write);
    for (const medallion::ResolvedTimeline& resolved : batch.resolved) {
      touched_.erase(resolved.subject);
      if (resolved.watch) watched_.insert(resolved.subject);
    }
    for (const medallion::Derived& derived : batch.derived) {
      stale_.erase(derived.entity);
      stale_rollups_.erase(derived.entity);
    }
    for (const GoldWrite& write : batch.gold) Put(write);  // what is derived from it is stale again
    gone_.clear();
    checkpoint_.data_clock = std::max(checkpoint_.data_clock, batch.data_clock);
    if (!batch.position.empty()) checkpoint_.positions[std::string(batch.source)] = batch.position;
    if (!batch.metrics.empty()) metrics_.clear();
    for (const medallion::MetricRow& row : batch.metrics) medallion::AppendJson(row, metrics_.emplace_back());
    std::string line;
    medallion::AppendJson(batch.log, line);
    if (log_.empty() || log_.back() != line) log_.push_back(line);  // else the same batch, applied again
    return absl::OkStatus();
  }

  std::vector<std::string> Names() const override {
    std::vector<std::string> names;
    for (const std::string_view name : medallion::SilverTables<Pack>()) names.emplace_back(name);
    for (const std::string_view name :
         {medallion::kQuarantineTable, medallion::kAuditTable, medallion::kIgnoredTable}) {
      names.emplace_back(name);
    }
    for (const std::string_view name : Pack::kGoldTables) names.emplace_back(name);
    names.emplace_back(medallion::kReviewsTable);
    names.emplace_back(medallion::kMetricsTable);
    names.emplace_back(medallion::kReconciliationTable);
    names.emplace_back(medallion::kRunLogTable);
    return names;
  }

  absl::Status Read(std::string_view table, const medallion::RowSink& sink) override {
    const std::vector<std::string> names = Names();
    if (std::find(names.begin(), names.end(), table) == names.end()) {
      return absl::NotFoundError("no table " + std::string(table));
    }
    std::vector<std::string> rows;
    if (table == medallion::kRunLogTable) rows = log_;
    if (table == medallion::kMetricsTable) rows = metrics_;
    if (table == medallion::kReviewsTable) {
      for (const medallion::Review& review : reviews_) medallion::AppendJson(review, rows.emplace_back());
    }
    for (const auto& [key, write] : gold_) {
      if (Pack::kGoldTables[medallion::GoldTableOf(write.row)] != table) continue;
      medallion::ForShown(write.row,
                          [&](const auto& row) { medallion::AppendJson(row, rows.emplace_back()); });
    }
    for (const Element* element : InOrder()) {
      if (!medallion::IsShown<Pack>(*element, table)) continue;
      const medallion::BronzeRecord& record = records_.at(KeyOf(IdOf(element->identity.order).record));
      medallion::AppendRow<Pack>(*element, record, table, rows.emplace_back());
    }
    for (const std::string& row : rows) {
      if (auto status = sink(row); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<medallion::Accounting> Books() override {
    medallion::Accounting books;
    books.records = static_cast<int64_t>(records_.size());
    for (const auto& [key, kept] : elements_) {
      const medallion::UtcTime ingest_ts = kept.element.identity.order.ingest_ts;
      const medallion::UtcTime hour =
          ingest_ts == medallion::kNoTime ? ingest_ts : medallion::HourOf(ingest_ts);
      ++books.elements;
      ++books.fates[kept.element.standing.fate];
      ++books.by_hour[hour][kept.element.standing.fate];
    }
    return books;
  }

  // The Gold rows by their keys.
  const std::map<Digest, GoldWrite>& gold() const { return gold_; }

 private:
  struct Kept {
    std::string bytes;
    medallion::Arena texts;
    Element element;  // refers to `bytes` and `texts`
  };
  using Index = std::set<std::pair<Digest, Digest>>;  // (what is looked for, key of an element or Gold row)

  static bool IsInQuarantine(const Element& element) {
    return medallion::IsShown<Pack>(element, medallion::kQuarantineTable);
  }

  // QuarantineId is a digest of an element's id, so it serves as a key.
  static Digest KeyOf(const medallion::RecordId& id) { return medallion::QuarantineId({id, 0}); }

  static std::vector<Digest> Members(const Index& index, const Digest& of) {
    std::vector<Digest> members;
    for (auto at = index.lower_bound({of, Digest{}}); at != index.end() && at->first == of; ++at) {
      members.push_back(at->second);
    }
    return members;
  }

  // What Glance asks for, found in few steps however many members the unit has: its rows in Silver; and the
  // first with this event id, which is one of them or a business duplicate, since all later ones are
  // technical duplicates.
  std::optional<medallion::Glance> GlanceAt(const medallion::Identity& arrived) const {
    const auto any = of_unit_.lower_bound({arrived.unit, Digest{}});
    if (any == of_unit_.end() || any->first != arrived.unit) return std::nullopt;
    medallion::Glance glance;
    for (const Digest& key : Members(silver_of_unit_, arrived.unit)) {
      const Element& element = elements_.at(key).element;
      if (element.identity.business_key != arrived.business_key || element.identity.cut != arrived.cut)
        continue;
      glance.has_winner = true;
      glance.winner = element.identity;
      glance.filled = element.standing.filled;
    }
    for (const Digest& key : Members(first_of_event_, EventKey(arrived))) {
      const medallion::Identity& identity = elements_.at(key).element.identity;
      if (!glance.has_winner || identity.business_key != glance.winner.business_key) continue;
      if (identity.fact != glance.winner.fact) continue;
      glance.event_id_seen = true;
      glance.event_id_first = identity.order;
    }
    return glance;
  }

  static Digest EventKey(const medallion::Identity& identity) {
    medallion::JoinedFields fields;
    return fields.Add(Hex(identity.unit)).Add(static_cast<int64_t>(identity.event_id)).Sha256();
  }

  // Elements in the order of their coordinates.
  std::vector<const Element*> InOrder() const {
    std::vector<const Element*> elements;
    for (const auto& [key, kept] : elements_) elements.push_back(&kept.element);
    std::sort(elements.begin(), elements.end(), [](const Element* a, const Element* b) {
      const medallion::Order &left = a->identity.order, &right = b->identity.order;
      return std::tuple(left.at, left.ordinal, left.payload) <
             std::tuple(right.at, right.ordinal, right.payload);
    });
    return elements;
  }

  void Put(const medallion::RecordWrite& write) {
    medallion::BronzeRecord record = write.record;
    for (std::string_view* text :
         {&record.payload, &record.at.topic, &record.key, &record.version, &record.connection_id}) {
      *text = texts_.Copy(*text);
    }
    records_[KeyOf(write.id)] = record;
  }

  void Put(const Element& element) {
    const medallion::ElementId id = IdOf(element.identity.order);
    const Digest key = medallion::QuarantineId(id);
    Withdraw(key);
    if (medallion::IsHistory(element)) MakeStale(element.entity);
    SightingChanges(element);
    Kept& kept = elements_[key];
    medallion::PackWriter bytes;
    medallion::PackWhole(element, bytes);
    kept.bytes = bytes.bytes();
    medallion::UnpackWhole(kept.bytes, kept.element, kept.texts);
    of_record_.insert({KeyOf(id.record), key});
    if (element.entity != Digest{}) of_entity_.insert({element.entity, key});
    ForMarks(element, [&](const std::string& subject, medallion::UtcTime at) {
      timelines_.insert({subject, at, key});
      Touch(element, subject, at);
    });
    if (!element.to_settle()) return;
    const medallion::Fate fate = element.standing.fate;
    const bool silver = fate == medallion::Fate::kSilver;
    of_unit_.insert({element.identity.unit, key});
    if (silver) silver_of_unit_.insert({element.identity.unit, key});
    if (silver || fate == medallion::Fate::kBusinessDuplicate)
      first_of_event_.insert({EventKey(element.identity), key});
  }

  // What an element was part of is stale once it goes or changes.
  void Withdraw(const Digest& key) {
    const auto found = elements_.find(key);
    if (found == elements_.end()) return;
    const Element& element = found->second.element;
    of_record_.erase({KeyOf(IdOf(element.identity.order).record), key});
    of_unit_.erase({element.identity.unit, key});
    silver_of_unit_.erase({element.identity.unit, key});
    first_of_event_.erase({EventKey(element.identity), key});
    of_entity_.erase({element.entity, key});
    if (element.entity != Digest{}) MakeStale(element.entity);
    SightingChanges(element);
    ForMarks(element, [&](const std::string& subject, medallion::UtcTime at) {
      timelines_.erase({subject, at, key});
      Touch(element, subject, at);
    });
    gone_.push_back(elements_.extract(found));
  }

  void SightingChanges(const Element& element) {
    if constexpr (medallion::Sights<Pack>) {
      stale_rollups_.insert(Pack::SightingKey(Pack::SubjectKey(element.row)));
    }
  }

  // What is known of the subject that the entity is derived from, if it is one. A database keeps it, see Sighting.
  void AnswerSighting(const Digest& entity, medallion::HistoryAnswer<Pack>& answer) const {
    if constexpr (medallion::Sights<Pack>) {
      medallion::EntityHistory& history = answer.entities.back();
      for (const auto& [key, kept] : elements_) {
        const Element& element = kept.element;
        if (Pack::SightingKey(Pack::SubjectKey(element.row)) != entity) continue;
        const auto& record = records_.at(KeyOf(IdOf(element.identity.order).record));
        const auto sighting = Pack::SightingOf(element, record.direction);
        if (!sighting.has_value()) continue;
        const std::string_view name = Pack::Subject(element.row);
        if (history.subject.empty() || name < history.subject) history.subject = name;
        history.sighting.Take(*sighting);
      }
    }
  }

  // Calls use(subject, time) for each place that the element has on a timeline.
  template <class Use>
  static void ForMarks(const Element& element, const Use& use) {
    if constexpr (medallion::Resolves<Pack>) {
      if (element.milestone == medallion::Milestone::kNone) return;
      const std::string subject = Pack::SubjectKey(element.row);
      use(subject, element.identity.order.event_ts);
      use(subject, element.identity.order.ingest_ts);
    }
  }

  void Touch(const Element& element, const std::string& subject, medallion::UtcTime at) {
    if (element.milestone == medallion::Milestone::kDetail && !watched_.contains(subject)) return;
    medallion::TimeSpan& span = touched_.try_emplace(subject, medallion::TimeSpan{at, at}).first->second;
    span = {std::min(span.from, at), std::max(span.to, at)};
  }

  void MakeStale(const Digest& entity) {
    stale_.insert(entity);
    stale_.insert(links_.RootOf(entity));
  }

  std::vector<Digest> WithJoined(const Digest& entity) const {
    std::vector<Digest> members = links_.JoinedTo(entity);
    members.push_back(entity);
    return members;
  }

  void Put(const medallion::LinkWrite& write) {
    MakeStale(write.link.entity);
    links_.Apply(write);
    MakeStale(write.link.entity);
    stale_.insert(write.link.root);
  }

  void Put(GoldWrite write) {
    const Digest key = write.version.key;
    const bool drop = write.write == medallion::Write::kDelete;
    const auto before = gold_.find(key);
    if (before != gold_.end() && (!drop || before->second.entity == write.entity)) {
      due_.erase({before->second.next_due_at, key});
      gold_of_entity_.erase({before->second.entity, key});
      gold_of_parent_.erase({before->second.parent, key});
      if (before->second.parent != Digest{}) stale_rollups_.insert(before->second.parent);
      medallion::JoinStanding(before->second.row, write.row);
      gold_.erase(before);
    }
    if (drop) return;
    gold_.emplace(key, write);
    gold_of_entity_.insert({write.entity, key});
    if (write.parent != Digest{}) {
      gold_of_parent_.insert({write.parent, key});
      stale_rollups_.insert(write.parent);
    }
    if (write.next_due_at != medallion::kNoTime) due_.insert({write.next_due_at, key});
  }

  medallion::Checkpoint checkpoint_;
  medallion::Arena texts_;  // of records
  std::map<Digest, medallion::BronzeRecord> records_;
  std::map<Digest, Kept> elements_;
  // Of a batch, while it is written: its other elements may refer to their texts.
  std::vector<typename std::map<Digest, Kept>::node_type> gone_;
  Index of_record_, of_unit_, of_entity_, silver_of_unit_, first_of_event_;
  std::set<Digest> stale_;  // entities whose Gold rows are to be derived again
  std::map<Digest, GoldWrite> gold_;
  Index gold_of_entity_, gold_of_parent_;
  std::set<Digest> stale_rollups_;  // what is derived from rows or sightings
  std::set<std::pair<medallion::UtcTime, Digest>> due_;
  std::set<std::tuple<std::string, medallion::UtcTime, Digest>> timelines_;
  std::map<std::string, medallion::TimeSpan> touched_;  // timelines, since they were resolved
  std::set<std::string> watched_;
  medallion::memory::Links links_;
  std::set<medallion::Review, decltype(&medallion::ReviewedBefore)> reviews_{&medallion::ReviewedBefore};
  std::vector<std::string> log_, metrics_;
};
