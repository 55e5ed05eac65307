#include "json_walk.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "medallion/base/text.h"
#include "plain_json.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace medallion::ocpp {
namespace {

constexpr char kMalformed[] = "malformed JSON";

// Where the first quote, backslash or control character is, from `at` on. One follows: the padding's NUL.
const char* SpecialIn(const char* at) {
#ifdef __SSE2__
  while (true) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
    const __m128i quotes =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
    const auto found = static_cast<uint32_t>(_mm_movemask_epi8(_mm_or_si128(controls, quotes)));
    if (found != 0) return at + std::countr_zero(found);
    at += 16;
  }
#else
  while (*at != '"' && *at != '\\' && static_cast<uint8_t>(*at) >= 0x20) ++at;
  return at;
#endif
}

// Four hexadecimal digits; over 0xFFFF where they are none.
uint32_t FourDigits(const char* at) {
  uint32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = AsciiLower(at[i]);
    const bool digit = c >= '0' && c <= '9', letter = c >= 'a' && c <= 'f';
    if (!digit && !letter) return 0x10000;
    code = code << 4 | static_cast<uint32_t>(digit ? c - '0' : c - 'a' + 10);
  }
  return code;
}

void AppendUtf8(uint32_t code, std::string& out) {
  const auto add = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12), add(0x80 | (code >> 6 & 0x3F));
  } else {
    add(0xF0 | code >> 18), add(0x80 | (code >> 12 & 0x3F)), add(0x80 | (code >> 6 & 0x3F));
  }
  add(0x80 | (code & 0x3F));
}

// Whether two values say the same that are written as compact JSON.
bool SameCompact(std::string_view a, std::string_view b) { return a == b || SameNumber(a, b); }

// A member of an object as it stands in its compact JSON: from its separator to its end.
struct Written {
  std::string_view name;
  size_t begin = 0, value = 0, end = 0;
};

// Takes members out of the JSON, which began at `begin`, whose name an earlier one has.
std::string_view RemoveRepeats(std::span<const Written> members, size_t begin, std::string& compact) {
  if (members.size() < 2) return {};
  std::vector<char> repeats;
  const auto same = [&](const Written& a, const Written& b) {
    const std::string_view all = compact;
    return SameCompact(all.substr(a.value, a.end - a.value), all.substr(b.value, b.end - b.value));
  };
  const std::string_view ambiguous = MarkRepeats(members, repeats, same);
  if (std::find(repeats.begin(), repeats.end(), 1) == repeats.end()) return ambiguous;
  const std::string all = compact.substr(begin);
  compact.resize(begin);
  for (size_t i = 0; i < members.size(); ++i) {
    if (repeats[i] == 0) compact.append(all, members[i].begin - begin, members[i].end - members[i].begin);
  }
  return ambiguous;
}

}  // namespace

std::string_view RemoveRepeats(std::vector<Member>& members) {
  if (members.size() < 2) return {};
  std::vector<char> repeats;
  const std::string_view ambiguous = MarkRepeats(members, repeats);
  size_t i = 0;
  std::erase_if(members, [&](const Member&) { return repeats[i++] != 0; });
  return ambiguous;
}

bool JsonWalk::Enter(char open) {
  if (Next() != open) return Fail(kMalformed);
  if (depth_ == kDepthMax) return Fail("nested deeper than 64");
  ++depth_, ++at_;
  return true;
}

bool JsonWalk::More(char close, bool& first) {
  const char next = Next();
  if (next == close) return ++at_, --depth_, false;
  if (first) return first = false, true;
  if (next != ',') return Fail(kMalformed);
  ++at_;
  return true;
}

bool JsonWalk::Name(std::string_view& name) {
  if (Next() != '"') return Fail(kMalformed);
  if (!Text(name)) return false;
  if (Next() != ':') return Fail(kMalformed);
  ++at_;
  return true;
}

bool JsonWalk::Scalar(FieldValue& value) {
  const auto word = [&](std::string_view text, JsonKind kind) {
    if (std::string_view(at_, text.size()) != text) return Fail(kMalformed);
    value = {kind, kind == JsonKind::kAbsent ? std::string_view() : text};
    at_ += text.size();
    return true;
  };
  switch (Next()) {
    case '"': value.kind = JsonKind::kText; return Text(value.text);
    case 'n': return word("null", JsonKind::kAbsent);
    case 't': return word("true", JsonKind::kBool);
    case 'f': return word("false", JsonKind::kBool);
    default: break;
  }
  const char* const end = JsonNumberEnd(at_);
  if (end == nullptr) return Fail(kMalformed);
  value = {JsonKind::kNumber, {at_, static_cast<size_t>(end - at_)}};
  at_ = end;
  return true;
}

bool JsonWalk::Any(FieldValue& value) {
  const char next = Next();
  if (next != '{' && next != '[') return Scalar(value);
  std::string compact;
  if (!Append(compact)) return false;
  value = {JsonKind::kContainer, texts_.Copy(compact)};
  return true;
}

// Reads any value and appends it as compact JSON.
bool JsonWalk::Append(std::string& compact) {
  const char next = Next();
  if (next == '{') return AppendObject(compact);
  if (next == '[') return AppendArray(compact);
  FieldValue value;
  if (!Scalar(value)) return false;
  AppendJson(value, compact);
  return true;
}

bool JsonWalk::AppendObject(std::string& compact) {
  std::vector<Written> members;
  bool first = true;
  if (!Enter('{')) return false;
  const size_t begin = compact.size();
  while (More('}', first)) {
    Written& member = members.emplace_back();
    member.begin = compact.size();
    compact.push_back(member.begin == begin ? '{' : ',');
    if (!Name(member.name)) return false;
    AppendJsonString(member.name, compact);
    compact.push_back(':');
    member.value = compact.size();
    if (!Append(compact)) return false;
    member.end = compact.size();
  }
  if (failed()) return false;
  const std::string_view ambiguous = RemoveRepeats(members, begin, compact);
  if (ambiguous_.empty()) ambiguous_ = ambiguous;
  compact += members.empty() ? "{}" : "}";
  return true;
}

bool JsonWalk::AppendArray(std::string& compact) {
  bool first = true;
  if (!Enter('[')) return false;
  const size_t begin = compact.size();
  while (More(']', first)) {
    compact.push_back(compact.size() == begin ? '[' : ',');
    if (!Append(compact)) return false;
  }
  compact += compact.size() == begin ? "[]" : "]";
  return !failed();
}

bool JsonWalk::Text(std::string_view& text) {
  const char* const begin = at_ + 1;
  const char* const end = SpecialIn(begin);
  if (*end != '"') return Unescape(begin, end, text);
  text = {begin, static_cast<size_t>(end - begin)};
  at_ = end + 1;
  return true;
}

// A text that begins at `begin`, of which nothing is special before `at`.
bool JsonWalk::Unescape(const char* begin, const char* at, std::string_view& text) {
  unescaped_.clear();
  while (true) {
    unescaped_.append(begin, at);
    if (*at == '"') break;
    if (*at != '\\') return FailAt(at, kMalformed);
    begin = Escape(at + 1);
    if (begin == nullptr) return FailAt(at, kMalformed);
    at = SpecialIn(begin);
  }
  text = texts_.Copy(unescaped_);
  at_ = at + 1;
  return true;
}

// Takes what stands behind a backslash. Returns where it ends; null where it is no escape.
const char* JsonWalk::Escape(const char* at) {
  static constexpr std::string_view kShort = "\"\\/bfnrt", kMeaning = "\"\\/\b\f\n\r\t";
  if (*at == 'u') return Unicode(at + 1);
  const size_t i = *at == '\0' ? kShort.npos : kShort.find(*at);
  if (i == kShort.npos) return nullptr;
  unescaped_.push_back(kMeaning[i]);
  return at + 1;
}

const char* JsonWalk::Unicode(const char* at) {
  uint32_t code = FourDigits(at);
  at += 4;
  if (code > 0xFFFF || (code >= 0xDC00 && code < 0xE000)) return nullptr;
  if (code >= 0xD800 && code < 0xDC00) {
    const uint32_t low = at[0] == '\\' && at[1] == 'u' ? FourDigits(at + 2) : 0;
    if (low < 0xDC00 || low > 0xDFFF) return nullptr;
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    at += 6;
  }
  AppendUtf8(code, unescaped_);
  return at;
}

}  // namespace medallion::ocpp
