// Members of JSON objects as they were written: whether two say the same, which repeat another, and how they are written
// again; and what is done with a payload before and where it cannot be read. For flat events and for frames. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "medallion/base/arena.h"
#include "medallion/ocpp/parse.h"

namespace medallion::ocpp {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
inline bool IsJsonBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// A payload without byte-order mark, outer white space and NULs after the end.
std::string_view Stripped(std::string_view payload);

// What is said of a payload that cannot be read: {"problem":…,"byte":…}.
[[gnu::cold]] std::string_view Corrupt(std::string_view problem, std::optional<size_t> byte, Arena& texts);

// Whether both are numbers of one value; false where one is no number.
bool SameNumber(std::string_view a, std::string_view b);

// Whether two values say the same: of a number its value, of a container its members in their order.
bool SameJson(const FieldValue& a, const FieldValue& b);

// Appends the value as JSON; an absent one as null.
void AppendJson(const FieldValue& value, std::string& out);

// Appends ,"name":value to a JSON object that is still open; an empty one is opened.
void AppendMember(const Member& member, std::string& object);

// The places of the names in the order of these, of equal ones as they stand.
std::vector<uint32_t> ByName(std::span<const std::string_view> names);

// Marks each member whose name an earlier one has. Returns a name of which `same(one, other)` does not hold, or nothing.
template <class Named, class Same>
std::string_view MarkRepeats(std::span<const Named> members, std::vector<char>& repeats, Same same) {
  repeats.assign(members.size(), 0);
  std::vector<std::string_view> names;
  names.reserve(members.size());
  for (const Named& member : members) names.push_back(member.name);
  const std::vector<uint32_t> by_name = ByName(names);
  std::string_view ambiguous;
  for (size_t i = 1; i < by_name.size(); ++i) {
    const Named &before = members[by_name[i - 1]], &member = members[by_name[i]];
    if (before.name != member.name) continue;
    repeats[by_name[i]] = 1;
    if (!ambiguous.empty() || same(before, member)) continue;
    ambiguous = member.name.empty() ? std::string_view("\"\"") : member.name;  // must not look like none
  }
  return ambiguous;
}

inline std::string_view MarkRepeats(std::span<const Member> members, std::vector<char>& repeats) {
  return MarkRepeats(members, repeats,
                     [](const Member& a, const Member& b) { return SameJson(a.value, b.value); });
}

// Whether a field by this name holds an id tag by the looks of it, though no schema names it.
bool IsPersonal(std::string_view name);

// An extra field as it is kept: the value of a personal one is not.
Member Kept(Member member, bool personal);

}  // namespace medallion::ocpp
