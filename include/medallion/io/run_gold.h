// The run loop: timelines are resolved, and entities derived, until Gold is what Silver says. Part of io/run.h.
#pragma once

#include "medallion/io/run.h"

namespace medallion {

// Timelines by hundreds: each is asked for as much as its resolution needs.
template <class Pack>
absl::Status Runner<Pack>::ResolveAll() {
  if constexpr (Resolves<Pack>) {
    constexpr size_t kLines = 256;
    for (;;) {
      TimelineAnswer<Event> answer;
      if (auto status = store_.Timelines({.touched_max = kLines}, answer); !status.ok()) return status;
      if (answer.touched.empty()) return absl::OkStatus();
      std::vector<Line> lines;
      lines.reserve(answer.touched.size());
      for (TimelinePart& part : answer.touched) {
        const TimeSpan touched = part.span;
        lines.push_back({.part = std::move(part), .touched = touched, .said = {}});
      }
      std::vector<LinkWrite> links;
      if (auto status = ResolveLines(lines, links); !status.ok()) return status;
      std::vector<ResolvedTimeline> resolved;
      resolved.reserve(lines.size());
      for (const Line& line : lines) {
        resolved.push_back({.subject = line.part.subject, .watch = line.said.watch});
      }
      const Batch<Pack> batch{
          .links = links, .resolved = resolved, .log = {.run_id = run_.run_id, .batch = ++logged_}};
      if (auto status = store_.Apply(batch); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

// A resolution that has seen nothing says what it needs first.
template <class Pack>
absl::Status Runner<Pack>::ResolveLines(std::vector<Line>& lines, std::vector<LinkWrite>& links) {
  std::vector<Line*> open;
  open.reserve(lines.size());
  for (Line& line : lines) {
    line.said = ResolveBy<Pack>({.touched = line.touched, .seen = {}, .elements = {}}, options_);
    open.push_back(&line);
  }
  while (!open.empty()) {
    if (auto status = AskLines(open, links); !status.ok()) return status;
    std::erase_if(open, [](const Line* line) { return line->said.settled; });
  }
  return absl::OkStatus();
}

// Fetches what each needs, and has it resolved; of those that are settled the changes go to `links`.
template <class Pack>
absl::Status Runner<Pack>::AskLines(std::span<Line* const> open, std::vector<LinkWrite>& links) {
  std::vector<TimelinePart> parts;
  parts.reserve(open.size());
  for (Line* line : open) {
    line->part.span = line->said.need;
    line->part.details = line->said.need_details;
    parts.push_back(line->part);
  }
  TimelineAnswer<Event> answer;
  if (auto status = store_.Timelines({.parts = parts}, answer); !status.ok()) return status;
  size_t element = 0, link = 0;
  for (size_t i = 0; i < open.size(); ++i) {
    Line& line = *open[i];
    const auto elements = std::span(answer.elements).subspan(element, answer.elements_end[i] - element);
    const auto standing = std::span(answer.links).subspan(link, answer.links_end[i] - link);
    element = answer.elements_end[i], link = answer.links_end[i];
    line.said = ResolveBy<Pack>(
        {.touched = line.touched, .seen = line.part.span, .details = line.part.details, .elements = elements},
        options_);
    if (line.said.settled) MergeLinks(line.part.subject, standing, line.said, links);
  }
  return absl::OkStatus();
}

// Fetches the first entities that `query` finds, has them derived, and has `query` pass them over.
template <class Pack>
absl::Status Runner<Pack>::BeginPart(HistoryQuery& query, UtcTime clock, Parts& parts, bool& more) {
  const auto part = std::make_shared<Part>();
  query.ahead = true;
  if (auto status = store_.History(query, part->history); !status.ok()) return status;
  more = part->history.more;
  query.stale_skip += part->history.entities.size();
  if (part->history.entities.empty()) return absl::OkStatus();
  parts.Add([this, part, clock] {
    HistoryAnswer<Pack>& history = part->history;
    if (history.finish) history.finish(history);
    const bool summarize = run_.refresh == Refresh::kEachBatch;
    part->made = DeriveEntities<Pack>(history.histories(), summarize, clock, options_);
    return part;
  });
  return absl::OkStatus();
}

// Derives what cannot be gone on with from its summary.
template <class Pack>
absl::Status Runner<Pack>::DeriveWhole(Part& part, UtcTime clock) {
  Derivation<Gold>& made = part.made;
  const bool summarize = run_.refresh == Refresh::kEachBatch;
  for (std::span<const EntityKey> rest = made.unfolded; !rest.empty();) {
    HistoryAnswer<Pack> whole;
    if (auto status = store_.History({.entities = rest, .whole = true}, whole); !status.ok()) return status;
    auto others = DeriveEntities<Pack>(whole.histories(), summarize, clock, options_);
    std::move(others.gold.begin(), others.gold.end(), std::back_inserter(made.gold));
    std::move(others.derived.begin(), others.derived.end(), std::back_inserter(made.derived));
    rest = rest.subspan(whole.entities.size());
  }
  return absl::OkStatus();
}

template <class Pack>
absl::Status Runner<Pack>::WriteGold(const Derivation<Gold>& made, UtcTime clock) {
  return store_.Apply({.data_clock = clock,
                       .gold = made.gold,
                       .derived = made.derived,
                       .log = {.run_id = run_.run_id, .batch = ++logged_, .data_clock = clock}});
}

// Stale entities stop being stale when they are written; rows that are due stop being so, or do not change any more.
// Rollups are not derived ahead: writing one may touch another.
template <class Pack>
absl::Status Runner<Pack>::DeriveAll(HistoryQuery query, UtcTime clock) {
  SeenAnswer seen;
  if (auto status = store_.Seen({}, seen); !status.ok()) return status;
  const UtcTime stood = seen.checkpoint.data_clock;
  clock = std::max(clock, stood);
  report_.data_clock = clock;
  if (!query.stale) query.due_by = clock;
  if (run_.refresh == Refresh::kAtEnd) query.rows_max = std::max(query.rows_max, run_.batch_records);
  if (clock > stood) {
    if (auto status = WriteGold({}, clock); !status.ok()) return status;
  }
  Parts parts(run_.refresh == Refresh::kAtEnd ? run_.threads : 1);  // else they are few
  for (bool more = true;;) {
    while (more && parts.size() < (query.stale && !query.rollups ? ahead() : 1)) {
      if (auto status = BeginPart(query, clock, parts, more); !status.ok()) return status;
    }
    if (parts.size() == 0) return absl::OkStatus();
    const std::shared_ptr<Part> part = parts.Next();
    query.stale_skip -= part->history.entities.size();
    if (!part->made.unfolded.empty()) {
      if (auto status = DeriveWhole(*part, clock); !status.ok()) return status;
    }
    if (!query.stale && part->made.gold.empty()) return absl::OkStatus();
    if (auto status = WriteGold(part->made, clock); !status.ok()) return status;
    more = more || query.rollups;  // until none is left
  }
}

}  // namespace medallion
