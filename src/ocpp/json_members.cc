#include "json_members.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "medallion/base/decimal.h"
#include "medallion/base/text.h"

namespace medallion::ocpp {
void AppendJson(const FieldValue& value, std::string& out) {
  switch (value.kind) {
    case JsonKind::kAbsent: out += "null"; return;
    case JsonKind::kText: return AppendJsonString(value.text, out);
    default: out += value.text;
  }
}

bool SameNumber(std::string_view a, std::string_view b) {
  const auto first = Decimal::Parse(a), second = Decimal::Parse(b);
  return first && first == second;
}

bool SameJson(const FieldValue& a, const FieldValue& b) {
  if (a.kind != b.kind) return false;
  return a.text == b.text || (a.kind == JsonKind::kNumber && SameNumber(a.text, b.text));
}

void AppendMember(const Member& member, std::string& object) {
  object.push_back(object.empty() ? '{' : ',');
  AppendJsonString(member.name, object);
  object.push_back(':');
  AppendJson(member.value, object);
}

std::vector<uint32_t> ByName(std::span<const std::string_view> names) {
  std::vector<uint32_t> by_name(names.size());
  std::iota(by_name.begin(), by_name.end(), 0u);
  std::sort(by_name.begin(), by_name.end(),
            [&](uint32_t a, uint32_t b) { return std::pair(names[a], a) < std::pair(names[b], b); });
  return by_name;
}

bool IsPersonal(std::string_view name) {
  constexpr std::string_view kPersonal[] = {"idtag",      "idtoken",      "rfid",
                                            "rfidtag",    "tagid",        "parentidtag",
                                            "grouptoken", "groupidtoken", "authorizationtag"};
  return std::any_of(std::begin(kPersonal), std::end(kPersonal),
                     [&](std::string_view personal) { return EqualsFoldedName(name, personal); });
}

Member Kept(Member member, bool personal) {
  if (personal && member.value.kind != JsonKind::kAbsent) member.value = {JsonKind::kText, "(hidden)"};
  return member;
}

std::string_view Stripped(std::string_view payload) {
  if (payload.starts_with(kByteOrderMark)) payload.remove_prefix(kByteOrderMark.size());
  while (!payload.empty() && (payload.back() == '\0' || IsJsonBlank(payload.back())))
    payload.remove_suffix(1);
  return Trim(payload);
}

std::string_view Corrupt(std::string_view problem, std::optional<size_t> byte, Arena& texts) {
  std::string detail = "{\"problem\":";
  AppendJsonString(problem, detail);
  if (byte) detail += ",\"byte\":" + std::to_string(*byte);
  return texts.Copy(detail += "}");
}

}  // namespace medallion::ocpp
