// Parsing: from a payload's text to the fields of a flat event, each as it was written.
// Pure: a parser keeps scratch memory only. One parser serves one thread at a time.
// Source: the charging domain, 1.1.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "medallion/base/arena.h"
#include "medallion/ocpp/flat_schema.h"

namespace medallion::ocpp {

// How deep objects and arrays may be nested, the payload's own object counted.
inline constexpr int kDepthMax = 64;

enum class JsonKind : uint8_t {
  kAbsent,
  kText,
  kNumber,
  kBool,
  kContainer,
  // A number of which only a binary float is left, with more digits than one is sure to hold (see ocpp/json.h): what was
  // written is lost, so it serves as no reading and no id. Never comes from a text.
  kBinaryFloat,
};

// A field as it was written. `text`: of a text without its escapes and trailing NULs; of a number, true or false the
// token itself; of an object or array its JSON without white space; of a binary float its shortest decimal. A null counts
// as absent.
struct FieldValue {
  JsonKind kind = JsonKind::kAbsent;
  std::string_view text;
};

// One member of the JSON object.
struct Member {
  std::string_view name;
  FieldValue value;
};

// A flat event's fields. Texts refer to the arena given to the parser.
struct FlatFields {
  uint32_t present = 0;      // bit i: field i was given, and not as null
  std::string_view corrupt;  // not empty: the payload cannot be read; a JSON object that says why
  int32_t schema_version = 1;
  bool schema_known = true;
  std::string_view ambiguous;     // not empty: the name of a field that was given twice with different values
  bool name_folded = false;       // a name was written in other casing
  bool version_coerced = false;   // the schema version was written as text
  std::string_view extra_fields;  // what the schema does not name, as a JSON object; or empty
  int64_t unknown_fields = 0;
  std::array<FieldValue, kFields> values;  // only those that are present mean anything

  static constexpr uint32_t Bit(Field field) { return 1u << static_cast<int>(field); }
  bool Has(Field field) const { return (present & Bit(field)) != 0; }
  const FieldValue& operator[](Field field) const {
    static constexpr FieldValue kNone;
    return Has(field) ? values[static_cast<size_t>(field)] : kNone;
  }
  void Set(Field field, const FieldValue& value) {
    values[static_cast<size_t>(field)] = value;
    present = (present & ~Bit(field)) | (value.kind == JsonKind::kAbsent ? 0 : Bit(field));
  }
  // As new, without a look at the values.
  void Clear() {
    present = 0, schema_version = 1, unknown_fields = 0;
    corrupt = {}, ambiguous = {}, extra_fields = {};
    schema_known = true, name_folded = false, version_coerced = false;
  }
};
static_assert(kFields <= 32);

// Sorts the members of one object into fields by the schema that the object names. For callers that have parsed the
// JSON themselves (see ocpp/json.h).
FlatFields FieldsOf(std::span<const Member> members, std::span<const FlatSchema> schemas, Arena& texts);

// How often fields were kept though no schema names them: so many names, all others as one.
using NameCounts = std::map<std::string, uint64_t, std::less<>>;
inline constexpr size_t kNamesCounted = 50;
inline constexpr std::string_view kOtherNames = "(other)";

class FlatParser {
 public:
  // `schemas` must outlive the parser.
  FlatParser(std::span<const FlatSchema> schemas, size_t payload_bytes_max);
  ~FlatParser();
  FlatParser(FlatParser&&) noexcept;
  FlatParser& operator=(FlatParser&&) noexcept;

  // Never fails: what cannot be read comes back with `corrupt` set. A byte-order mark, outer white space and NULs after
  // the end are left out. Strict: everything in the payload must be valid JSON and UTF-8, at most 64 deep.
  // What is returned is the parser's own and good until the next payload: copy it to keep it longer.
  const FlatFields& Parse(std::string_view payload, Arena& texts);

  // Adds the names of fields that were kept though no schema names them, since this was last called.
  void TakeUnknownNames(NameCounts& counts);

 private:
  struct Scratch;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace medallion::ocpp
