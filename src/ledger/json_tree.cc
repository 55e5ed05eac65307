#include "json_tree.h"

#include <algorithm>
#include <string>

#include "medallion/base/text.h"
#include "simdjson.h"

namespace medallion::ledger::json {
namespace {

constexpr int kDepthMax = 64;

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

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

// Four hexadecimal digits at `at`; over 0xFFFF where they are none.
uint32_t FourDigits(const char* at, const char* end) {
  if (end - at < 4) return 0x10000;
  uint32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = AsciiLower(at[i]);
    const bool letter = c >= 'a' && c <= 'f';
    if (!IsDigit(c) && !letter) return 0x10000;
    code = code << 4 | static_cast<uint32_t>(letter ? c - 'a' + 10 : c - '0');
  }
  return code;
}

// What \uXXXX at `at` stands for, with the second half of a pair; moves `at` behind it. False for half a pair.
bool AppendCode(const char*& at, const char* end, std::string& out) {
  uint32_t code = FourDigits(at, end);
  if (code > 0xFFFF || (code >= 0xDC00 && code < 0xE000)) return false;
  at += 4;
  if (code >= 0xD800 && code < 0xDC00) {
    if (end - at < 2 || at[0] != '\\' || at[1] != 'u') return false;
    const uint32_t low = FourDigits(at + 2, end);
    if (low < 0xDC00 || low > 0xDFFF) return false;
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    at += 6;
  }
  AppendUtf8(code, out);
  return true;
}

}  // namespace

void Tree::SkipBlanks() {
  while (at_ != end_ && IsBlank(*at_)) ++at_;
}

bool Tree::Parse(std::string_view json, Arena& texts) {
  nodes_.clear();
  texts_ = &texts, at_ = json.data(), end_ = json.data() + json.size();
  error_ = {}, has_repeats_ = false;
  if (!simdjson::validate_utf8(json.data(), json.size())) return Fail("not UTF-8");
  if (!Value({}, 0)) return false;
  SkipBlanks();
  return at_ == end_ || Fail("more than one value");
}

bool Tree::Value(std::string_view name, int depth) {
  SkipBlanks();
  if (at_ == end_) return Fail("ends early");
  const auto index = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back({.end = index + 1, .name = name});
  const char* const begin = at_;
  bool read = false;
  switch (*at_) {
    case '{': nodes_[index].kind = Kind::kObject, read = Container(index, '}', depth); break;
    case '[': nodes_[index].kind = Kind::kArray, read = Container(index, ']', depth); break;
    case '"': nodes_[index].kind = Kind::kText; return Text(nodes_[index].text);
    case 't': nodes_[index].kind = Kind::kBool, read = Word("true"); break;
    case 'f': nodes_[index].kind = Kind::kBool, read = Word("false"); break;
    case 'n': nodes_[index].kind = Kind::kNull, read = Word("null"); break;
    default: nodes_[index].kind = Kind::kNumber, read = Number();
  }
  nodes_[index].text = {begin, static_cast<size_t>(at_ - begin)};
  return read;
}

bool Tree::Container(uint32_t index, char close, int depth) {
  if (depth == kDepthMax) return Fail("nested deeper than 64");
  ++at_;
  for (bool first = true;; first = false) {
    SkipBlanks();
    if (at_ == end_) return Fail("ends early");
    if (*at_ == close) break;
    if (!first) {
      if (*at_ != ',') return Fail("malformed JSON");
      ++at_;
    }
    if (close == '}' ? !ReadMember(depth + 1) : !Value({}, depth + 1)) return false;
    SkipBlanks();
    if (at_ != end_ && *at_ != ',' && *at_ != close) return Fail("malformed JSON");
  }
  ++at_;
  nodes_[index].end = static_cast<uint32_t>(nodes_.size());
  if (close == '}') NoteRepeats(nodes_[index]);
  return true;
}

bool Tree::ReadMember(int depth) {
  SkipBlanks();
  std::string_view name;
  if (at_ == end_ || *at_ != '"') return Fail("malformed JSON");
  if (!Text(name)) return false;
  SkipBlanks();
  if (at_ == end_ || *at_ != ':') return Fail("malformed JSON");
  ++at_;
  return Value(name, depth);
}

bool Tree::Text(std::string_view& text) {
  const char* const begin = ++at_;
  for (; at_ != end_; ++at_) {
    if (*at_ == '"') return text = {begin, static_cast<size_t>(at_++ - begin)}, true;
    if (*at_ == '\\') return Escaped(begin, text);
    if (static_cast<unsigned char>(*at_) < 0x20) return Fail("control character in a text");
  }
  return Fail("ends early");
}

bool Tree::Escaped(const char* begin, std::string_view& text) {
  std::string plain(begin, at_);
  while (at_ != end_ && *at_ != '"') {
    if (static_cast<unsigned char>(*at_) < 0x20) return Fail("control character in a text");
    const char c = *at_++;
    if (c != '\\') {
      plain.push_back(c);
      continue;
    }
    if (at_ == end_) break;
    static constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    const char escape = *at_++;
    const size_t known = kNames.find(escape);
    if (known != std::string_view::npos) {
      plain.push_back(kMeanings[known]);
    } else if (escape != 'u' || !AppendCode(at_, end_, plain)) {
      return Fail("malformed JSON");
    }
  }
  if (at_ == end_) return Fail("ends early");
  ++at_;
  text = texts_->Copy(plain);
  return true;
}

bool Tree::Word(std::string_view word) {
  if (static_cast<size_t>(end_ - at_) < word.size() || std::string_view(at_, word.size()) != word) {
    return Fail("malformed JSON");
  }
  at_ += word.size();
  return true;
}

bool Tree::Number() {
  const auto digits = [&] {
    const char* const begin = at_;
    while (at_ != end_ && IsDigit(*at_)) ++at_;
    return at_ - begin;
  };
  if (*at_ == '-') ++at_;
  const bool zero = at_ != end_ && *at_ == '0';
  const auto whole = digits();
  bool well = whole > 0 && (!zero || whole == 1);
  if (well && at_ != end_ && *at_ == '.') ++at_, well = digits() > 0;
  if (well && at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    well = digits() > 0;
  }
  return well || Fail("malformed JSON");
}

// A few members are compared each with each, many in the order of their names.
void Tree::NoteRepeats(const Node& object) {
  constexpr size_t kFew = 32;
  members_.clear();
  for (const Node* member = First(object); member != nullptr; member = Next(object, *member)) {
    members_.push_back(member);
  }
  const bool few = members_.size() <= kFew;
  if (!few) {
    std::sort(members_.begin(), members_.end(),
              [](const Node* a, const Node* b) { return a->name < b->name; });
  }
  for (size_t i = 0; i < members_.size(); ++i) {
    for (size_t j = i + 1; j < members_.size(); ++j) {
      const Node &one = *members_[i], &other = *members_[j];
      const bool same = SameText(one.name, other.name);
      if (same && (one.kind != other.kind || one.text != other.text)) has_repeats_ = true;
      if (!few && !same) break;
    }
  }
}

const Node* Tree::Member(const Node* object, std::string_view name) const {
  if (object == nullptr || object->kind != Kind::kObject) return nullptr;
  for (const Node* member = First(*object); member != nullptr; member = Next(*object, *member)) {
    if (SameText(member->name, name)) return member;
  }
  return nullptr;
}

const Node* Tree::Find(const Node* object, std::string_view name) const {
  const Node* member = Member(object, name);
  return member == nullptr || member->kind == Kind::kNull ? nullptr : member;
}

}  // namespace medallion::ledger::json
