#include "frames/reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "medallion/base/text.h"
#include "medallion/ocpp/enums.h"
#include "read_values.h"
#include "simdjson.h"

namespace medallion::ocpp {
namespace {

constexpr size_t kFieldsMax = 32;  // of one object in the tables

// The field of that name; null where there is none. Most messages have their fields in the specification's order, so that
// it is the one after the last.
const FieldSpec* Find(std::span<const FieldSpec> specs, std::string_view name, size_t expected) {
  for (size_t i = expected; i < specs.size(); ++i) {
    if (specs[i].name == name) return &specs[i];
  }
  for (size_t i = 0; i < std::min(expected, specs.size()); ++i) {
    if (specs[i].name == name) return &specs[i];
  }
  return nullptr;
}
const FieldSpec* FindFolded(std::span<const FieldSpec> specs, std::string_view name) {
  const auto found = std::find_if(specs.begin(), specs.end(),
                                  [&](const FieldSpec& spec) { return EqualsFoldedCase(spec.name, name); });
  return found == specs.end() ? nullptr : &*found;
}

// Whether a scalar is of another type than the specification's, though it may say the same.
bool IsOtherType(Shape shape, const FieldValue& value) {
  const JsonKind kind = value.kind;
  switch (shape) {
    case Shape::kText: return kind == JsonKind::kNumber;
    case Shape::kNumber: return kind == JsonKind::kText;
    case Shape::kInteger:
      return kind == JsonKind::kText ||
             (kind == JsonKind::kNumber && value.text.find_first_of(".eE") != std::string_view::npos);
    case Shape::kBool: return kind == JsonKind::kText;
    default: return false;
  }
}

// Whether a value without a column says something.
bool IsKept(Shape shape, const FieldValue& value) {
  if (shape == Shape::kRemark) {
    const bool says_null = value.kind == JsonKind::kText && EqualsFoldedCase(Trim(value.text), "null");
    return IsPresent(value) && !says_null;
  }
  return shape == Shape::kAny && value.kind != JsonKind::kAbsent;
}

// What is ambiguous inside of a value makes the object ambiguous that it stands in.
void NoteAmbiguous(JsonWalk& walk, FrameFields& fields) {
  const std::string_view name = walk.TakeAmbiguous();
  if (fields.ambiguous.empty()) fields.ambiguous = name;
}

// Two names of one slot, as a unit has across versions, must agree.
void Put(const FieldSpec& spec, const FieldValue& value, FrameFields& fields) {
  const FieldValue& before = fields[spec.slot];
  if (value.kind == JsonKind::kAbsent) return;
  if (!IsPresent(before)) return fields.Set(spec.slot, value);
  if (fields.ambiguous.empty() && IsPresent(value) && !SameJson(before, value)) fields.ambiguous = spec.name;
}

// `type` is what stood in the message type's place. What may hold a number that not every reader of JSON can hold is shown
// as a text.
std::string_view NoFrame(const char* because, FieldValue type, Arena& texts) {
  constexpr size_t kDigitsMax = 15;
  const bool number = type.kind == JsonKind::kNumber;
  const bool plain =
      number && type.text.size() <= kDigitsMax && type.text.find_first_of("eE") == type.text.npos;
  if ((number && !plain) || type.kind == JsonKind::kContainer) type.kind = JsonKind::kText;
  std::string detail = "{\"problem\":\"not an OCPP frame\",\"because\":";
  AppendJsonString(because, detail);
  AppendMember({"message_type", type}, detail);
  return texts.Copy(detail += "}");
}

}  // namespace

bool IsFrame(std::string_view payload) {
  if (payload.starts_with(kByteOrderMark)) payload.remove_prefix(kByteOrderMark.size());
  const auto* const begin = std::find_if_not(payload.begin(), payload.end(), IsJsonBlank);
  return begin != payload.end() && *begin == '[';
}

const Frame& FrameReader::Read(std::string_view payload, std::string_view version, Arena& texts) {
  frame_.Clear();
  texts_ = &texts;
  if (payload.size() > payload_bytes_max_) {
    frame_.corrupt =
        Corrupt("longer than " + std::to_string(payload_bytes_max_) + " bytes", std::nullopt, texts);
    return frame_;
  }
  const std::string_view stripped = Stripped(payload);
  if (!simdjson::validate_utf8(stripped.data(), stripped.size())) {
    frame_.corrupt = Corrupt("bad encoding", std::nullopt, texts);
    return frame_;
  }
  char* const padded = texts.Allocate(stripped.size() + kWalkPadding);
  std::memcpy(padded, stripped.data(), stripped.size());
  std::memset(padded + stripped.size(), 0, kWalkPadding);
  JsonWalk walk({padded, stripped.size()}, texts);
  members_.clear();
  const char* const because = Envelope(version, walk);
  NoteAmbiguous(walk, frame_.header);
  if (!walk.failed()) walk.AtEnd();
  if (walk.failed()) {
    const auto skipped = static_cast<size_t>(stripped.data() - payload.data());
    frame_.corrupt = Corrupt(walk.problem(), skipped + static_cast<size_t>(walk.failed_at() - padded), texts);
  } else if (because != nullptr) {
    frame_.corrupt = NoFrame(because, type_, texts);
  }
  return frame_;
}

// ---- the envelope -------------------------------------------------------------------------------------------

// Everything is read to its end, since what is no JSON is told from what is no frame.
const char* FrameReader::Envelope(std::string_view version, JsonWalk& walk) {
  type_ = {};
  if (!walk.Enter('[')) return nullptr;
  const char* because = nullptr;
  bool first = true;
  size_t size = 0;
  for (; walk.More(']', first); ++size) {
    FieldValue rest;
    if (because == nullptr) {
      because = Element(size, version, walk);
    } else {
      walk.Any(rest);
    }
    if (walk.failed()) return nullptr;
  }
  const bool call = frame_.type == FrameType::kCall || frame_.type == FrameType::kSend;
  if (because == nullptr && size < (call ? 4u : 3u)) because = "it has too few elements";
  if (size < 5 && !call && frame_.type != FrameType::kResult) frame_.reshaped = true;
  return because;
}

const char* FrameReader::Element(size_t i, std::string_view version, JsonWalk& walk) {
  const bool result = frame_.type == FrameType::kResult;
  const bool error = frame_.type == FrameType::kError || frame_.type == FrameType::kResultError;
  if (!error && i == (result ? 2 : 3)) return Payload(version, walk);
  FieldValue value;
  if (!walk.Any(value)) return nullptr;
  switch (i) {
    case 0: return Type(value, version);
    case 1:
      frame_.id = {value.kind, WithoutNuls(value.text)};
      return value.kind == JsonKind::kBool || value.kind == JsonKind::kContainer ? "its id is no text"
                                                                                 : nullptr;
    case 2: return Third(value, version);
    default: return error && i < 5 ? nullptr : "it has too many elements";
  }
}

const char* FrameReader::Type(const FieldValue& value, std::string_view version) {
  type_ = value;
  const std::string_view text = Trim(value.text);
  const bool scalar = value.kind == JsonKind::kNumber || value.kind == JsonKind::kText;
  const char last = version.starts_with("2.1") ? '6' : '4';
  if (!scalar || text.size() != 1 || text[0] < '2' || text[0] > last) {
    return "its message type is none of the version";
  }
  frame_.type = static_cast<FrameType>(text[0] - '0');
  frame_.coerced = value.kind == JsonKind::kText;
  return nullptr;
}

// A call's action, or an error's code.
const char* FrameReader::Third(const FieldValue& value, std::string_view version) {
  if (value.kind != JsonKind::kText || Trim(value.text).empty()) return "its third element is no text";
  const std::string_view text = Trim(WithoutNuls(value.text));
  if (frame_.type == FrameType::kError || frame_.type == FrameType::kResultError) {
    frame_.code = text;
    return nullptr;
  }
  bool folded = false;
  frame_.message = FindMessage(text, version, folded);
  frame_.action = frame_.message == nullptr ? text : frame_.message->action;
  frame_.reshaped |= folded;
  return nullptr;
}

const char* FrameReader::Payload(std::string_view version, JsonWalk& walk) {
  const bool result = frame_.type == FrameType::kResult;
  const bool known = frame_.message != nullptr;
  const auto fields = result ? ResultFields() : known ? frame_.message->fields : std::span<const FieldSpec>();
  extra_[0].clear();
  if (walk.Next() == '{' && !fields.empty()) {
    const FieldSpec root{{}, Shape::kObject, Slot::kNone, fields};
    if (!Object(root, {frame_.header, extra_[0]}, walk)) return nullptr;
    if (result) {
      frame_.unknown_fields = 0;  // which fields it may have depends on its call
    } else if (!extra_[0].empty()) {
      frame_.header.extra_fields = texts_->Copy(extra_[0].append("}"));
    }
    return nullptr;
  }
  FieldValue value;
  if (!walk.Any(value)) return nullptr;
  if (value.kind == JsonKind::kAbsent) return frame_.reshaped |= IsVersion2(version), nullptr;
  const bool container = value.kind == JsonKind::kContainer;
  if (container && value.text == "[]")
    return frame_.reshaped = true, nullptr;  // an empty object, as some write it
  return container && value.text.starts_with('{') ? nullptr : "its payload is no object";
}

// ---- the payload --------------------------------------------------------------------------------------------

bool FrameReader::Object(const FieldSpec& owner, Target target, JsonWalk& walk) {
  const std::span<const FieldSpec> specs = owner.children;
  std::array<Part, kFieldsMax> parts;  // of the fields that were given
  uint32_t given = 0;
  const size_t begin = members_.size();
  size_t expected = 0;
  bool first = true;
  if (!walk.Enter('{')) return false;
  while (walk.More('}', first)) {
    std::string_view name;
    if (!walk.Name(name)) return false;
    const FieldSpec* spec = Find(specs, name, expected);
    if (spec == nullptr && (spec = FindFolded(specs, name)) != nullptr) target.fields.reshaped = true;
    if (spec == nullptr) {
      FieldValue value;
      if (!walk.Any(value)) return false;
      NoteAmbiguous(walk, target.fields);
      members_.push_back(Kept({name, value}, IsPersonal(name)));
      ++frame_.unknown_fields;
      continue;
    }
    const auto i = static_cast<size_t>(spec - specs.data());
    expected = i + 1;
    walk.Next();
    Part part{walk.at(), nullptr, false, name};
    const bool again = (given >> i & 1) != 0;
    given |= 1u << i;
    if (!(again ? Again(*spec, target, walk, name, parts[i]) : Field(*spec, target, walk, part)))
      return false;
    if (!again) parts[i] = part;
  }
  if (walk.failed()) return false;
  Keep(owner, begin, target);
  return true;
}

// Reads the value of a known field to where it belongs.
bool FrameReader::Field(const FieldSpec& spec, Target target, JsonWalk& walk, Part& part) {
  FrameFields& fields = target.fields;
  const char next = walk.Next();
  fields.reshaped |= spec.foreign;
  const bool list = spec.shape == Shape::kInstants || spec.shape == Shape::kSamples;
  if (list && (next == '[' || next == '{')) {
    if (!List(spec, fields, walk)) return false;
    part.end = walk.at();
    return true;
  }
  if (spec.shape == Shape::kObject && next == '{') {
    if (!Object(spec, target, walk)) return false;
    part.end = walk.at();
    return true;
  }
  FieldValue value;
  if (!walk.Any(value)) return false;
  NoteAmbiguous(walk, fields);
  part.end = walk.at();
  if (value.kind == JsonKind::kText && spec.slot != Slot::kValue) value.text = WithoutNuls(value.text);
  part.blank = !IsPresent(value);
  if (list) {
    if (!part.blank) fields.problem = spec.name;
  } else if (spec.slot != Slot::kNone) {
    // A scalar in an object's place is taken for what the object is about.
    if (spec.shape == Shape::kObject && !part.blank) fields.reshaped = true;
    fields.coerced |= IsOtherType(spec.shape, value);
    Put(spec, value, fields);
  } else if (IsKept(spec.shape, value)) {
    members_.push_back({spec.name, value});
  }
  return true;
}

// A known field once more: what was said first stands. Of two spellings one may say nothing.
bool FrameReader::Again(const FieldSpec& spec, Target target, JsonWalk& walk, std::string_view name,
                        Part& part) {
  const bool same_name = part.name == name;
  if (!same_name && part.blank) {
    part = {walk.at(), nullptr, false, name};
    return Field(spec, target, walk, part);
  }
  FieldValue before, value;
  if (!walk.Any(value)) return false;
  NoteAmbiguous(walk, target.fields);
  std::string_view& ambiguous = target.fields.ambiguous;
  if (!ambiguous.empty() || (!same_name && !IsPresent(value))) return true;
  JsonWalk again({part.begin, static_cast<size_t>(part.end - part.begin)}, *texts_);
  if (again.Any(before) && !SameJson(before, value)) ambiguous = spec.name;
  return true;
}

bool FrameReader::List(const FieldSpec& spec, FrameFields& owner, JsonWalk& walk) {
  owner.listed = true;
  if (spec.shape == Shape::kSamples) owner.begin = static_cast<uint32_t>(frame_.samples.size());
  if (walk.Next() == '{') {
    owner.reshaped = true;
    if (!Item(spec, walk)) return false;
  } else {
    bool first = true;
    if (!walk.Enter('[')) return false;
    while (walk.More(']', first)) {
      if (!Item(spec, walk)) return false;
    }
  }
  if (spec.shape == Shape::kSamples) owner.end = static_cast<uint32_t>(frame_.samples.size());
  return !walk.failed();
}

bool FrameReader::Item(const FieldSpec& spec, JsonWalk& walk) {
  const bool sample = spec.shape == Shape::kSamples;
  FrameFields& fields = sample ? frame_.samples.Add() : frame_.instants.Add();
  if (walk.Next() == '{') {
    std::string& extra = extra_[sample ? 2 : 1];
    extra.clear();
    if (!Object(spec, {fields, extra}, walk)) return false;
    if (!extra.empty()) fields.extra_fields = texts_->Copy(extra.append("}"));
    return true;
  }
  FieldValue value;
  fields.is_object = false;
  if (!walk.Any(value)) return false;
  NoteAmbiguous(walk, fields);
  if (value.kind == JsonKind::kAbsent) sample ? frame_.samples.DropLast() : frame_.instants.DropLast();
  return true;
}

// Adds the members from `begin` on, which have no slot, to the extra fields.
void FrameReader::Keep(const FieldSpec& owner, size_t begin, Target target) {
  if (members_.size() == begin) return;
  std::vector<Member> members(members_.begin() + static_cast<std::ptrdiff_t>(begin), members_.end());
  members_.resize(begin);
  const std::string_view ambiguous = RemoveRepeats(members);
  if (target.fields.ambiguous.empty()) target.fields.ambiguous = ambiguous;
  for (Member& member : members) {
    if (owner.secret && Find(owner.children, member.name, 0) == nullptr) continue;
    if (!owner.path.empty()) member.name = texts_->Copy(std::string(owner.path).append(member.name));
    AppendMember(member, target.extra);
  }
}

}  // namespace medallion::ocpp
