#include "medallion/ocpp/parse.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "json_members.h"
#include "medallion/base/text.h"
#include "medallion/base/time.h"
#include "plain_json.h"
#include "read_values.h"
#include "simdjson.h"

namespace medallion::ocpp {
namespace {

namespace ondemand = simdjson::ondemand;

// ---- reading JSON -------------------------------------------------------------------------------------------

// Simdjson's On-Demand hands out tokens like 01 as numbers.
bool IsJsonNumber(std::string_view token) {
  return JsonNumberEnd(token.data()) == token.data() + token.size();
}

// Where a text that is no whole object stops being one: at a control character in a string, at what comes after the
// object, or at its own end.
size_t BrokenAt(std::string_view text) {
  bool in_string = false;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (static_cast<uint8_t>(c) < 0x20) return i;
      if (c == '\\') ++i;
      in_string = c != '"';
      continue;
    }
    if (depth == 0 && i > 0 && !IsJsonBlank(c)) return i;
    in_string = c == '"';
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
  }
  return text.size();
}

// Walks JSON completely, since On-Demand does not check what it skips.
class Reader {
 public:
  Reader(ondemand::document& document, Arena& texts) : document_(document), texts_(texts) {}

  // Reads the members of the one object that `text` is. Returns what is wrong, or null.
  const char* ReadAll(std::string_view text, std::vector<Member>& members) {
    ondemand::object object;
    ondemand::json_type type;
    if (document_.type().get(type)) return FailedHere(), "malformed JSON";
    if (type != ondemand::json_type::object) return FailedHere(), "not a JSON object";
    if (document_.get_object().get(object)) return FailedAt(text.data() + BrokenAt(text)), "malformed JSON";
    if (!Members(object, 1, members)) return too_deep_ ? "nested deeper than 64" : "malformed JSON";
    const char* after = nullptr;
    if (document_.current_location().get(after)) return nullptr;
    return FailedAt(after), "malformed JSON";
  }

  // Where it went wrong: the token that is none, or what was found in place of another; null at the end of the text.
  const char* failed_at() const { return failed_at_; }
  // A name that an object inside a value has twice, with different values; or nothing.
  std::string_view ambiguous() const { return ambiguous_; }

 private:
  // The members of an object at depth `depth`; false for what is no valid JSON.
  bool Members(ondemand::object& object, int depth, std::vector<Member>& members) {
    members.clear();
    for (auto field : object) {
      std::string_view token;
      if (field.error() || field.value().raw_json_token().get(token)) return FailedHere();
      Member& member = members.emplace_back();
      const char* const name_at = field.key().value_unsafe().raw();
      if (!Name(name_at, member.name)) {
        std::string_view name;
        if (field.unescaped_key().get(name)) return FailedAt(name_at - 1);
        member.name = texts_.Copy(name);
      }
      if (Scalar(token, member.value)) continue;
      if (!Walk(field.value(), token.front(), depth, member.value)) return FailedAt(token.data());
    }
    return true;
  }

  bool Elements(ondemand::array& array, int depth, std::string& compact) {
    for (auto element : array) {
      std::string_view token;
      FieldValue value;
      if (element.raw_json_token().get(token)) return FailedHere();
      if (!Scalar(token, value) && !Walk(element, token.front(), depth, value)) return FailedAt(token.data());
      compact.push_back(compact.empty() ? '[' : ',');
      AppendJson(value, compact);
    }
    compact += compact.empty() ? "[]" : "]";
    return true;
  }

  // The first place stands.
  bool FailedAt(const char* at) {
    if (!failed_) failed_at_ = at;
    failed_ = true;
    return false;
  }
  bool FailedHere() {
    const char* at = nullptr;
    return FailedAt(document_.current_location().get(at) == simdjson::SUCCESS ? at : nullptr);
  }

  // A name without escapes, left where the payload lies; false for any other.
  static bool Name(const char* begin, std::string_view& name) {
    const char* end = begin;
    while (*end != '"' && *end != '\\') ++end;  // the closing quote is there: the payload was indexed
    name = {begin, static_cast<size_t>(end - begin)};
    return *end == '"';
  }

  // A value that its token says all about: a number, a word, a text without escapes; it is left where the payload lies.
  // False for others, valid or not. A null is absent. What follows the token must end the value: On-Demand would take a
  // colon there.
  static bool Scalar(std::string_view token, FieldValue& value) {
    const char next = token.data()[token.size()];
    if (next != ',' && next != '}' && next != ']') return false;
    while (!token.empty() && IsJsonBlank(token.back())) token.remove_suffix(1);
    switch (token.empty() ? '\0' : token.front()) {
      case '"':
        value = {JsonKind::kText, token.substr(1, token.size() - 2)};
        return value.text.find('\\') == std::string_view::npos;
      case 't':
      case 'f': return value = {JsonKind::kBool, token}, token == "true" || token == "false";
      case 'n': return token == "null";
      default: return value = {JsonKind::kNumber, token}, IsJsonNumber(token);
    }
  }

  // A text with escapes, or a container; `depth` is that of the container it stands in.
  bool Walk(simdjson::simdjson_result<ondemand::value> json, char begin, int depth, FieldValue& value) {
    if (begin == '"') {
      std::string_view unescaped;
      if (json.get_string().get(unescaped)) return false;
      value = {JsonKind::kText, texts_.Copy(WithoutNuls(unescaped))};
      return true;
    }
    ondemand::object object;
    ondemand::array array;
    std::string compact;
    if (begin != '{' && begin != '[') return false;
    if (depth == kDepthMax) return too_deep_ = true, false;
    if (begin == '{' && (json.get_object().get(object) || !Object(object, depth + 1, compact))) return false;
    if (begin == '[' && (json.get_array().get(array) || !Elements(array, depth + 1, compact))) return false;
    value = {JsonKind::kContainer, texts_.Copy(compact)};
    return true;
  }

  bool Object(ondemand::object& object, int depth, std::string& compact) {
    std::vector<Member> members;
    std::vector<char> repeats;
    if (!Members(object, depth, members)) return false;
    const std::string_view ambiguous = MarkRepeats(members, repeats);
    if (ambiguous_.empty()) ambiguous_ = ambiguous;
    for (size_t i = 0; i < members.size(); ++i) {
      if (repeats[i] == 0) AppendMember(members[i], compact);
    }
    compact += members.empty() ? "{}" : "}";
    return true;
  }

  ondemand::document& document_;
  Arena& texts_;
  bool failed_ = false;
  const char* failed_at_ = nullptr;
  bool too_deep_ = false;
  std::string_view ambiguous_;
};

// ---- from members to fields ---------------------------------------------------------------------------------

// What a name stands for in a schema.
struct Place {
  int field = -1;       // none: an extra field
  bool folded = false;  // the name was found in other casing
  bool personal =
      false;  // an extra field that names a person, by the looks of its name: its value is not kept
};

template <class Word>
uint64_t Load(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// A name's length, its first bytes and its last: all of it, where it has at most 16.
struct NameEnds {
  static NameEnds Of(std::string_view name) {
    const char* const begin = name.data();
    const size_t size = name.size();
    if (size >= 8) return {size, Load<uint64_t>(begin), Load<uint64_t>(begin + size - 8)};
    if (size >= 4) return {size, Load<uint32_t>(begin), Load<uint32_t>(begin + size - 4)};
    NameEnds ends{size, 0, 0};
    for (const char c : name) ends.head = ends.head << 8 | static_cast<uint8_t>(c);
    return ends;
  }
  bool operator==(const NameEnds&) const = default;
  bool IsAll() const { return size <= 16; }
  // From 0 to 127, evenly spread.
  size_t Slot() const { return ((head ^ std::rotl(tail, 29)) * 0x9E3779B97F4A7C15u + size) >> 57; }

  size_t size;
  uint64_t head, tail;
};

// A name as it mostly stands in a payload, `"name":`, to be compared at one stroke.
class QuotedName {
 public:
  QuotedName() = default;  // stands nowhere
  explicit QuotedName(std::string_view name) {
    const std::string quoted = '"' + std::string(name) + "\":";
    if (quoted.size() > sizeof words_) return;  // one that stands nowhere
    std::memcpy(words_.data(), quoted.data(), quoted.size());
    std::memset(masks_.data(), 0, sizeof masks_);
    std::memset(masks_.data(), 0xFF, quoted.size());
    bytes_ = quoted.size();
  }
  // Its bytes where it stands at `at`, else 0. So many bytes as a long one has may be read.
  size_t BytesAt(const char* at) const {
    uint64_t differs = 0;
    for (size_t i = 0; i < words_.size(); ++i) {
      differs |= (Load<uint64_t>(at + i * sizeof(uint64_t)) ^ words_[i]) & masks_[i];
    }
    return differs == 0 ? bytes_ : 0;
  }

 private:
  std::array<uint64_t, 3> words_{};
  std::array<uint64_t, 3> masks_{~uint64_t{0}};  // of the bytes that count
  size_t bytes_ = 0;
};

// The names of one schema.
class Names {
 public:
  // A name that was seen, what it stands for, and the one that followed it the last time: gateways keep an order.
  struct Seen {
    std::string name;
    NameEnds ends;
    Place place;
    QuotedName quoted;
    size_t next = 0;
    uint64_t unknown = 0;  // so often it was kept though the schema does not name it
  };

  // With `remember` the look-up of a name that was seen before takes one comparison.
  Names(const FlatSchema& schema, bool remember)
      : version(schema.version), version_text(std::to_string(schema.version)), schema_(&schema) {
    if (remember) seen_.assign(kSeen + 1, {"", NameEnds::Of(""), LookUp(""), QuotedName(), 0});
  }

  Place Of(std::string_view name) { return seen_.empty() ? LookUp(name) : seen_[Find(name)].place; }

  // What follows is for names that remember.

  // Where the name is among those that were seen, which now it is.
  size_t Find(std::string_view name) {
    const NameEnds ends = NameEnds::Of(name);
    const size_t slot = ends.Slot();
    Seen& seen = seen_[slot];
    if (seen.ends != ends || (!ends.IsAll() && seen.name != name)) {
      TakeUnknown(seen, unknown_);
      seen = {std::string(name), ends, LookUp(name), QuotedName(name), seen.next};
    }
    return slot;
  }
  // Notes that the name was kept though the schema does not name it; does nothing for names that do not remember.
  void CountUnknown(std::string_view name) {
    if (!seen_.empty()) ++seen_[Find(name)].unknown;
  }
  // Adds what was noted to `counts`, and forgets it.
  void TakeUnknown(NameCounts& counts) {
    for (Seen& seen : seen_) TakeUnknown(seen, unknown_);
    for (const auto& [name, count] : unknown_) counts[name] += count;
    unknown_.clear();
  }
  // The one that stands before a payload's first name.
  static constexpr size_t kBegin = 128;
  Seen& operator[](size_t slot) { return seen_[slot]; }

  const int32_t version;
  const std::string version_text;

 private:
  static constexpr size_t kSeen = kBegin;

  Place LookUp(std::string_view name) const {
    const auto found = schema_->names.find(name);
    if (found != schema_->names.end()) return {static_cast<int>(found->second), false, false};
    for (const auto& [spelling, field] : schema_->names) {
      if (EqualsFoldedCase(spelling, name)) return {static_cast<int>(field), true, false};
    }
    return {-1, false, IsPersonal(name)};
  }
  static void TakeUnknown(Seen& seen, NameCounts& counts) {
    constexpr size_t kMost = 1000;  // a feed with ever new names must not fill the memory
    if (seen.unknown == 0) return;
    const bool room = counts.size() < kMost || counts.contains(seen.name);
    counts[room ? seen.name : std::string(kOtherNames)] += std::exchange(seen.unknown, 0);
  }

  const FlatSchema* schema_;
  std::vector<Seen> seen_;
  NameCounts unknown_;
};

// Whether two spellings of a field say the same.
bool Agree(Field field, const FieldValue& a, const FieldValue& b) {
  const std::string_view left = Trim(a.text), right = Trim(b.text);
  if (left == right) return true;
  switch (field) {
    case Field::kEventTs:
    case Field::kIngestTs: {
      const auto first = ParseTime(left), second = ParseTime(right);
      return first && first == second;
    }
    case Field::kEventType:
    case Field::kConnectorStatus: return EqualsFoldedName(left, right);
    case Field::kChargePointId:
    case Field::kIdTag:
    case Field::kUnit:
    case Field::kMeasurand:
    case Field::kPhase:
    case Field::kLocation:
    case Field::kContext:
    case Field::kStopReason: return EqualsFoldedCase(left, right);
    case Field::kConnectorId:
    case Field::kEvseId:
    case Field::kTransactionId:
    case Field::kSeqNo:
    case Field::kSchemaVersion:
    case Field::kMeterValue:
    case Field::kMeterWh:
    case Field::kMeterKwh: return SameNumber(left, right);
    default: return false;
  }
}

// Takes the members of a plain payload straight into fields. The usual case alone: version 1 of a schema, each name once
// and as it is spelled; it lets go of any other, and leaves something in `fields`.
class PlainTaker {
 public:
  // `extra_names` and `extra` are memory to work with; the latter becomes the extra fields, without their last brace.
  PlainTaker(Names& names, std::vector<std::string_view>& extra_names, std::string& extra, FlatFields& fields)
      : names_(names), extra_names_(extra_names), extra_(extra), fields_(fields) {
    extra_names_.clear(), extra_.clear();
  }

  size_t Expected(const char* at) {
    const size_t next = names_[slot_].next;
    const size_t bytes = names_[next].quoted.BytesAt(at);
    if (bytes == 0) return 0;
    slot_ = next;
    name_ = {at + 1, bytes - 3};
    return bytes;
  }

  void Name(std::string_view name) {
    const size_t found = names_.Find(name);
    names_[slot_].next = found;
    slot_ = found;
    name_ = name;
  }

  bool Value(const FieldValue& value) {
    const Place place = names_[slot_].place;
    if (place.field < 0) return Extra(value);
    const auto field = static_cast<Field>(place.field);
    const uint32_t bit = FlatFields::Bit(field);
    if (place.folded || (taken_ & bit) != 0) return false;
    taken_ |= bit;
    fields_.Set(field, value);
    return field != Field::kSchemaVersion || (value.kind == JsonKind::kNumber && value.text == "1");
  }

 private:
  bool Extra(const FieldValue& value) {
    constexpr size_t kExtraMax = 16;  // each is compared with all before it
    const auto end = extra_names_.end();
    if (extra_names_.size() == kExtraMax || std::find(extra_names_.begin(), end, name_) != end) return false;
    extra_names_.push_back(name_);
    ++fields_.unknown_fields;
    AppendMember(Kept({name_, value}, names_[slot_].place.personal), extra_);
    return true;
  }

  Names& names_;
  std::vector<std::string_view>& extra_names_;
  std::string& extra_;
  FlatFields& fields_;
  size_t slot_ = Names::kBegin;  // of the last name
  std::string_view name_;
  uint32_t taken_ = 0;  // bit i: field i
};

// Takes the members as they come.
class MemberTaker {
 public:
  explicit MemberTaker(std::vector<Member>& members) : members_(members) { members.clear(); }
  static size_t Expected(const char*) { return 0; }
  void Name(std::string_view name) { members_.emplace_back().name = name; }
  bool Value(const FieldValue& value) { return members_.back().value = value, true; }

 private:
  std::vector<Member>& members_;
};

// Sorts members into fields, by the schema that they name.
class Sorter {
 public:
  Sorter(std::span<const FlatSchema> schemas, bool remember) {
    for (const FlatSchema& schema : schemas) names_.emplace_back(schema, remember);
  }

  // Reads a plain payload, the usual case of one, into `fields`. False, and something in them, for any other.
  bool ReadPlain(PlainReader& reader, Arena& texts, FlatFields& fields) {
    if (names_.size() != 1 || names_[0].version != 1) return false;
    PlainTaker taker(names_[0], extra_names_, extra_, fields);
    if (!reader.Read(taker)) return false;
    if (extra_.empty()) return true;
    fields.extra_fields = texts.Copy(extra_.append("}"));
    for (const std::string_view name : extra_names_) names_[0].CountUnknown(name);
    return true;
  }

  void TakeUnknown(NameCounts& counts) {
    for (Names& names : names_) names.TakeUnknown(counts);
  }

  // `fields` must be new.
  void Sort(std::span<const Member> members, Arena& texts, FlatFields& fields) {
    fields.schema_known = ChooseSchema(members, fields);
    if (!fields.schema_known) return;
    repeats_.assign(members.size(), 0);
    if (MayRepeat()) fields.ambiguous = MarkRepeats(members, repeats_);
    extra_.clear();
    for (size_t i = 0; i < members.size(); ++i) {
      if (repeats_[i] != 0) continue;
      if (places_[i].field >= 0) {
        fields.name_folded |= places_[i].folded;
        Put(static_cast<Field>(places_[i].field), members[i].value, fields);
      } else {
        ++fields.unknown_fields;
        AppendMember(Kept(members[i], places_[i].personal), extra_);
        names_[0].CountUnknown(members[i].name);
      }
    }
    if (!extra_.empty()) fields.extra_fields = texts.Copy(extra_.append("}"));
  }

 private:
  // The first word on a field stands.
  static void Put(Field field, const FieldValue& given, FlatFields& fields) {
    const FieldValue& value = fields[field];
    if (!IsPresent(value)) {
      if (value.kind == JsonKind::kAbsent || IsPresent(given)) fields.Set(field, given);
    } else if (IsPresent(given) && !Agree(field, value, given) && fields.ambiguous.empty()) {
      fields.ambiguous = FieldName(field);
    }
  }

  // The schema is the one that the members name, version 1 where they name none. Sets places_; false where no such
  // schema is registered.
  bool ChooseSchema(std::span<const Member> members, FlatFields& fields) {
    FieldValue version{JsonKind::kNumber, "1"};
    size_t placed = 0;
    for (; placed < names_.size(); ++placed) {
      PlaceAll(names_[placed], members);
      const auto names_version = [&](const Place& place) {
        const auto i = static_cast<size_t>(&place - places_.data());
        return place.field == static_cast<int>(Field::kSchemaVersion) && IsPresent(members[i].value);
      };
      const auto found = std::find_if(places_.begin(), places_.end(), names_version);
      if (found == places_.end()) continue;
      version = members[static_cast<size_t>(found - places_.begin())].value;
      break;
    }
    const std::string_view text = Trim(version.text);
    fields.version_coerced =
        version.kind == JsonKind::kText || text.find_first_of(".eE") != std::string_view::npos;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (text != names_[i].version_text && !SameNumber(text, names_[i].version_text)) continue;
      if (i != placed) PlaceAll(names_[i], members);
      fields.schema_version = names_[i].version;
      return true;
    }
    return false;
  }

  void PlaceAll(Names& names, std::span<const Member> members) {
    places_.clear();
    for (const Member& member : members) places_.push_back(names.Of(member.name));
  }

  // Whether a name may stand twice: two extra fields, or two members of one field.
  bool MayRepeat() const {
    uint64_t seen = 0;
    for (const Place& place : places_) {
      const uint64_t bit = uint64_t{1} << (place.field + 1);
      if ((seen & bit) != 0) return true;
      seen |= bit;
    }
    return false;
  }

  std::vector<Names> names_;
  std::vector<Place> places_;  // of the members, one by one
  std::vector<char> repeats_;  // of the members: 1 where an earlier one has the same name
  std::vector<std::string_view> extra_names_;
  std::string extra_;
};

}  // namespace

[[gnu::cold]] FlatFields FieldsOf(std::span<const Member> members, std::span<const FlatSchema> schemas,
                                  Arena& texts) {
  FlatFields fields;
  Sorter(schemas, false).Sort(members, texts, fields);
  return fields;
}

struct FlatParser::Scratch {
  Scratch(std::span<const FlatSchema> schemas, size_t bytes_max)
      : payload_bytes_max(bytes_max), sorter(schemas, true) {}

  // Reads the payload into `fields`, which are new.
  void Read(std::string_view payload, Arena& texts);
  // Reads the members of `text`, which are not plain, behind which there is padding. Returns nothing, or a JSON object that
  // says why it cannot be read; `skipped` bytes of the payload stand before it.
  [[gnu::cold]] std::string_view ReadMembers(std::string_view text, size_t skipped, Arena& texts);

  size_t payload_bytes_max;
  Sorter sorter;
  ondemand::parser parser;
  std::vector<std::string_view> names;
  std::vector<Member> members;
  std::string_view ambiguous;  // a name that an object inside a value has twice
  FlatFields fields;
};

void FlatParser::Scratch::Read(std::string_view payload, Arena& texts) {
  if (payload.size() > payload_bytes_max) {
    fields.corrupt =
        Corrupt("longer than " + std::to_string(payload_bytes_max) + " bytes", std::nullopt, texts);
    return;
  }
  const std::string_view stripped = Stripped(payload);
  if (stripped.empty()) {
    fields.corrupt = Corrupt("empty", std::nullopt, texts);
    return;
  }
  static_assert(kPlainPadding >= simdjson::SIMDJSON_PADDING);
  char* const padded = texts.Allocate(stripped.size() + kPlainPadding);
  std::memcpy(padded, stripped.data(), stripped.size());
  std::memset(padded + stripped.size(), ' ', kPlainPadding);
  const std::string_view text(padded, stripped.size());
  PlainReader reader(text, names);
  if (sorter.ReadPlain(reader, texts, fields)) return;
  fields.Clear();
  ambiguous = {};
  MemberTaker taker(members);
  const auto skipped = static_cast<size_t>(stripped.data() - payload.data());
  if (!reader.Read(taker)) fields.corrupt = ReadMembers(text, skipped, texts);
  if (!fields.corrupt.empty()) return;
  sorter.Sort(members, texts, fields);
  if (fields.ambiguous.empty()) fields.ambiguous = ambiguous;
}

std::string_view FlatParser::Scratch::ReadMembers(std::string_view text, size_t skipped, Arena& texts) {
  ondemand::document document;
  const simdjson::error_code error =
      parser.iterate(text.data(), text.size(), text.size() + kPlainPadding).get(document);
  if (error == simdjson::UTF8_ERROR) return Corrupt("bad encoding", std::nullopt, texts);
  if (error) return Corrupt("malformed JSON", skipped + BrokenAt(text), texts);
  Reader reader(document, texts);
  const char* const problem = reader.ReadAll(text, members);
  ambiguous = reader.ambiguous();
  if (problem == nullptr) return {};
  const char* const at = reader.failed_at();
  return Corrupt(problem, skipped + (at == nullptr ? text.size() : static_cast<size_t>(at - text.data())),
                 texts);
}

FlatParser::FlatParser(std::span<const FlatSchema> schemas, size_t payload_bytes_max)
    : scratch_(std::make_unique<Scratch>(schemas, payload_bytes_max)) {}
FlatParser::~FlatParser() = default;
FlatParser::FlatParser(FlatParser&&) noexcept = default;
FlatParser& FlatParser::operator=(FlatParser&&) noexcept = default;

const FlatFields& FlatParser::Parse(std::string_view payload, Arena& texts) {
  scratch_->fields.Clear();
  scratch_->Read(payload, texts);
  return scratch_->fields;
}

void FlatParser::TakeUnknownNames(NameCounts& counts) {
  NameCounts all;
  scratch_->sorter.TakeUnknown(all);
  for (auto& [name, count] : MostFrequent(all, kNamesCounted)) counts[name] += count;
}

}  // namespace medallion::ocpp
