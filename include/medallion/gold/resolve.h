// Resolving: which entity a fact is derived into where its own keys do not tell, and what an entity must know of its
// neighbours. Read from the timeline of one subject (a charge point), never from its whole history: how far a
// resolution looks is bounded in time, and the bound is part of the pack's rules, so that a result depends on the set of
// records only.
//
// Pure. Safe from any thread. The Pack is described in io/run.h.
#pragma once

#include <compare>
#include <concepts>
#include <span>
#include <string>
#include <vector>

#include "medallion/silver/element.h"

namespace medallion {

// Both ends belong to it.
struct TimeSpan {
  UtcTime from = kNoTime, to = kNoTime;
  bool Holds(UtcTime time) const { return from <= time && time <= to; }
  bool Holds(const TimeSpan& span) const { return from <= span.from && span.to <= to; }
  bool operator==(const TimeSpan&) const = default;
};

// What a resolution found at one place of the timeline. Facts of `entity` are derived with those of `root`, which may be
// the same. Where several links of an entity name different roots, that of the first by (at, root) holds.
struct Link {
  UtcTime at = kNoTime;  // the event time of the fact that the link is about
  EntityKey entity = {};
  EntityKey root = {};
  std::string context = {};  // what deriving `root` must know, in the pack's own bytes; or empty
  auto operator<=>(const Link&) const = default;
};

// A part of a subject's timeline. An element stands on it at its event_ts, and at its ingest_ts too.
template <class Row>
struct Timeline {
  TimeSpan touched;                             // elements came, went or changed within
  TimeSpan seen;                                // `elements` holds every milestone within
  bool details = false;                         // and every detail
  std::span<const Element<Row>> elements = {};  // each once, in any order, whatever their fate
  // Two hints that spare wide reads; what they begin as is always safe.
  bool went = true;   // elements may have gone from `touched`: it cannot be judged by what stands there
  bool loose = true;  // some element of the subject, at any time, may be of another entity than its keys name
};

// What a resolution says of a timeline: either what it must see first, or the links.
struct Resolution {
  bool settled = false;
  // Not settled: look again, with at least these.
  TimeSpan need = {};
  bool need_details = false;
  // Settled: all links with `at` within `span`; those that stood there before are gone.
  TimeSpan span = {};
  std::vector<Link> links = {};
  bool watch = false;  // a detail that comes later bears on them too
};

// A link that comes, or one that goes.
struct LinkWrite {
  std::string subject = {};
  bool drop = false;
  Link link = {};
};

// Whether the pack resolves timelines: see Resolve in io/run.h.
template <class Pack>
concept Resolves = requires(const Timeline<typename Pack::Event>& timeline,
                            const typename Pack::Options& options) {
  { Pack::Resolve(timeline, options) } -> std::same_as<Resolution>;
};

// What the pack says of a timeline; one that resolves none has nothing to say.
template <class Pack>
Resolution ResolveBy(const Timeline<typename Pack::Event>& timeline, const typename Pack::Options& options) {
  if constexpr (Resolves<Pack>) {
    return Pack::Resolve(timeline, options);
  } else {
    return {.settled = true};
  }
}

// Brings links in order, each once.
void SortLinks(std::vector<Link>& links);

// Appends what turns the links that stand into `resolution`'s; those outside its span stay as they are.
void MergeLinks(const std::string& subject, std::span<const Link> standing, const Resolution& resolution,
                std::vector<LinkWrite>& writes);

}  // namespace medallion
