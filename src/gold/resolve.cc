#include "medallion/gold/resolve.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace medallion {
namespace {

// Links are large: what is sorted is where they are.
using Sorted = std::vector<const Link*>;

bool Before(const Link* a, const Link* b) { return *a < *b; }

Sorted SortedOf(std::span<const Link> links) {
  Sorted sorted;
  sorted.reserve(links.size());
  for (const Link& link : links) sorted.push_back(&link);
  std::sort(sorted.begin(), sorted.end(), Before);
  return sorted;
}

}  // namespace

void SortLinks(std::vector<Link>& links) {
  if (links.size() < 2) return;
  std::vector<Link> sorted;
  sorted.reserve(links.size());
  for (const Link* link : SortedOf(links)) {
    if (sorted.empty() || sorted.back() != *link)
      sorted.push_back(std::move(links[static_cast<size_t>(link - links.data())]));
  }
  links = std::move(sorted);
}

void MergeLinks(const std::string& subject, std::span<const Link> standing, const Resolution& resolution,
                std::vector<LinkWrite>& writes) {
  Sorted before = SortedOf(standing);
  std::erase_if(before, [&](const Link* link) { return !resolution.span.Holds(link->at); });
  const Sorted after = SortedOf(resolution.links);
  Sorted gone, come;
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(gone),
                      Before);
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(come),
                      Before);
  for (const Link* link : gone) writes.push_back({.subject = subject, .drop = true, .link = *link});
  for (const Link* link : come) writes.push_back({.subject = subject, .drop = false, .link = *link});
}

}  // namespace medallion
