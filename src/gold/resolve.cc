#include "medallion/gold/resolve.h"

#include <algorithm>
#include <iterator>

namespace medallion {

void MergeLinks(const std::string& subject, std::span<const Link> standing, const Resolution& resolution,
                std::vector<LinkWrite>& writes) {
  std::vector<Link> before, after = resolution.links;
  std::copy_if(standing.begin(), standing.end(), std::back_inserter(before),
               [&](const Link& link) { return resolution.span.Holds(link.at); });
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  std::vector<Link> gone, come;
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(gone));
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(come));
  for (Link& link : gone) writes.push_back({.subject = subject, .drop = true, .link = std::move(link)});
  for (Link& link : come) writes.push_back({.subject = subject, .drop = false, .link = std::move(link)});
}

}  // namespace medallion
