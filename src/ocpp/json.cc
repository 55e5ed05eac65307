#include "medallion/ocpp/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "medallion/base/columns.h"
#include "medallion/base/text.h"
#include "medallion/ocpp/refine.h"
#include "medallion/ocpp/validate.h"
#include "simdjson.h"

namespace medallion {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// Text as JSON that can always be written: bytes that are not UTF-8 are replaced as in every table.
ordered_json TextJson(std::string_view text) {
  if (simdjson::validate_utf8(text.data(), text.size())) return text;
  std::string quoted;
  AppendJsonString(text, quoted);
  return ordered_json::parse(quoted, nullptr, false);
}

// What is JSON already; as text where nlohmann::json cannot hold it (a number beyond a double).
ordered_json ParsedJson(std::string_view text) {
  ordered_json parsed = ordered_json::parse(text, nullptr, false);
  return parsed.is_discarded() ? TextJson(text) : parsed;
}

template <class T>
ordered_json ColumnJson(const T& value) {
  if constexpr (std::integral<T>) {
    return value;
  } else {
    std::string text;
    if (!AppendCanonical(value, text)) return nullptr;
    return std::same_as<T, JsonText> ? ParsedJson(text) : TextJson(text);
  }
}
template <class T>
ordered_json ColumnJson(const std::optional<T>& value) {
  return value ? ColumnJson(*value) : ordered_json(nullptr);
}

template <class Row>
ordered_json RowJson(const Row& row) {
  ordered_json columns = ordered_json::object();
  VisitColumns(row, [&](std::string_view name, const auto& value) {
    columns.emplace(std::string(name), ColumnJson(value));
  });
  return columns;
}

}  // namespace

ordered_json ToJson(const QuarantineRow& row) { return RowJson(row); }
ordered_json ToJson(const AuditRow& row) { return RowJson(row); }
ordered_json ToJson(const IgnoredRow& row) { return RowJson(row); }

namespace ocpp {

ordered_json ToJson(const ChargingEvent& row) { return RowJson(row); }
ordered_json ToJson(const ChargingSession& row) { return RowJson(row); }
ordered_json ToJson(const ChargingStatsDaily& row) { return RowJson(row); }
ordered_json ToJson(const ConnectorStatusPeriod& row) { return RowJson(row); }
ordered_json ToJson(const ConnectorStatus& row) { return RowJson(row); }
ordered_json ToJson(const ChargePointHealth& row) { return RowJson(row); }

// ---- events
// -------------------------------------------------------------------------------------------------

namespace {

std::string Compact(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

bool IsUtf8(const std::string& text) { return simdjson::validate_utf8(text.data(), text.size()); }

// What keeps a value, a container at depth `depth`, from being one that a valid text says; null where nothing
// does.
const char* FlawOf(const json& value, int depth) {
  if (value.is_discarded() || value.is_binary()) return "malformed JSON";
  if (value.is_string()) return IsUtf8(value.get_ref<const std::string&>()) ? nullptr : "bad encoding";
  if (!value.is_structured()) return nullptr;
  if (depth > kDepthMax) return "nested deeper than 64";
  for (auto member = value.begin(); member != value.end(); ++member) {
    if (value.is_object() && !IsUtf8(member.key())) return "bad encoding";
    if (const char* flaw = FlawOf(*member, depth + 1)) return flaw;
  }
  return nullptr;
}

// Digits of a decimal, zeros at either end not counted.
size_t SignificantDigits(std::string_view decimal) {
  std::string digits;
  for (const char c : decimal.substr(0, decimal.find('e'))) {
    if (c >= '0' && c <= '9' && (c != '0' || !digits.empty())) digits += c;
  }
  return digits.find_last_not_of('0') + 1;  // npos + 1 is 0
}

// The one place where a reading is a double: the host's parser made it one. 15 digits are what a double
// always keeps.
FieldValue FloatValue(json::number_float_t number, Arena& texts) {
  constexpr size_t kDigitsSure = 15;
  if (!std::isfinite(number)) return {JsonKind::kText, "NaN"};
  char buffer[32];
  const std::to_chars_result end = std::to_chars(buffer, buffer + sizeof buffer, number);
  const std::string_view shortest = texts.Copy({buffer, static_cast<size_t>(end.ptr - buffer)});
  const bool sure = SignificantDigits(shortest) <= kDigitsSure;
  return {sure ? JsonKind::kNumber : JsonKind::kBinaryFloat, shortest};
}

FieldValue ValueOf(const json& value, Arena& texts) {
  switch (value.type()) {
    case json::value_t::string: {
      const std::string_view text = value.get_ref<const std::string&>();
      return {JsonKind::kText, texts.Copy(text.substr(0, text.find_last_not_of('\0') + 1))};
    }
    case json::value_t::number_float: return FloatValue(*value.get_ptr<const json::number_float_t*>(), texts);
    case json::value_t::number_integer:
    case json::value_t::number_unsigned: return {JsonKind::kNumber, texts.Copy(value.dump())};
    case json::value_t::boolean: return {JsonKind::kBool, *value.get_ptr<const bool*>() ? "true" : "false"};
    case json::value_t::object:
    case json::value_t::array: return {JsonKind::kContainer, texts.Copy(Compact(value))};
    default: return {};
  }
}

FlatFields Corrupt(std::string_view problem, Arena& texts) {
  std::string detail = "{\"problem\":";
  AppendJsonString(problem, detail);
  FlatFields fields;
  fields.corrupt = texts.Copy(detail + "}");
  return fields;
}

}  // namespace

FlatFields FieldsOf(const json& event, std::span<const FlatSchema> schemas, Arena& texts) {
  if (const char* flaw = FlawOf(event, 1)) return Corrupt(flaw, texts);
  if (!event.is_object()) return Corrupt("not a JSON object", texts);
  std::vector<Member> members;
  members.reserve(event.size());
  for (auto member = event.begin(); member != event.end(); ++member) {
    members.push_back({.name = texts.Copy(member.key()), .value = ValueOf(*member, texts)});
  }
  return FieldsOf(members, schemas, texts);
}

ChargingElement Refine(const json& event, const BronzeRecord& record, const Options& options, Arena& texts) {
  // What no text could say (it may be nested without end) is not written as one.
  const bool write = record.payload.empty() && FlawOf(event, 1) == nullptr;
  const std::string compact = write ? Compact(event) : std::string();
  const std::string_view payload = record.payload.empty() ? std::string_view(compact) : record.payload;
  const bool too_long = payload.size() > options.payload_bytes_max;
  const FlatFields fields =
      too_long ? Corrupt("longer than " + std::to_string(options.payload_bytes_max) + " bytes", texts)
               : FieldsOf(event, options.schemas, texts);
  return RefineFields(fields, record, Sha256(payload), options, texts);
}

// ---- configuration
// ------------------------------------------------------------------------------------------

namespace {

// `allowed` completes "must be …". Values are not shown: one of them is a secret.
absl::Status Wrong(std::string_view key, std::string_view allowed) {
  return absl::InvalidArgumentError(std::string(key) + " must be " + std::string(allowed));
}

std::string Listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::optional<int64_t> Whole(const json& value, int64_t min, int64_t max) {
  if (!value.is_number_integer()) return std::nullopt;
  const auto* natural = value.get_ptr<const json::number_unsigned_t*>();
  if (natural != nullptr && *natural > static_cast<uint64_t>(max)) return std::nullopt;
  const int64_t number =
      natural != nullptr ? static_cast<int64_t>(*natural) : *value.get_ptr<const int64_t*>();
  return number < min || number > max ? std::nullopt : std::optional(number);
}

// A text that is not empty.
const std::string* Text(const json& value) {
  const auto* text = value.get_ptr<const std::string*>();
  return text == nullptr || text->empty() ? nullptr : text;
}

// Sets `out` to what the text stands for in `choices`.
template <class T>
absl::Status Choose(std::string_view key, const json& value,
                    const std::vector<std::pair<std::string, T>>& choices, T& out) {
  std::vector<std::string> names;
  for (const auto& [name, choice] : choices) {
    if (value.is_string() && value.get_ref<const std::string&>() == name)
      return out = choice, absl::OkStatus();
    names.push_back('"' + name + '"');
  }
  return Wrong(key, "one of " + Listed(names));
}

template <class T>
absl::Status Limit(std::string_view key, const json& value, int64_t min, int64_t max, int64_t scale, T& out) {
  const std::optional<int64_t> number = Whole(value, min, max);
  if (!number) {
    return Wrong(key, "a whole number from " + std::to_string(min) + " to " + std::to_string(max));
  }
  out = static_cast<T>(*number * scale);
  return absl::OkStatus();
}

// The members of an object; each of them must be one of `keys`.
absl::Status OnlyKeys(std::string_view at, const json& value, const std::vector<std::string>& keys) {
  if (!value.is_object()) return Wrong(at, "an object with " + Listed(keys));
  for (auto member = value.begin(); member != value.end(); ++member) {
    if (std::find(keys.begin(), keys.end(), member.key()) != keys.end()) continue;
    return absl::InvalidArgumentError(std::string(at) + ": unknown key \"" + member.key() + "\"; known are " +
                                      Listed(keys));
  }
  return absl::OkStatus();
}

// A member, or null where there is none.
const json& At(const json& object, const char* key) {
  static const json none;
  const auto member = object.find(key);
  return member == object.end() ? none : *member;
}

std::optional<Field> FieldFor(std::string_view name) {
  for (int i = 0; i < kFields; ++i) {
    if (FieldName(static_cast<Field>(i)) == name) return static_cast<Field>(i);
  }
  return std::nullopt;
}

std::string AllFields() {
  std::vector<std::string> names(kFields);
  for (int i = 0; i < kFields; ++i) names[static_cast<size_t>(i)] = FieldName(static_cast<Field>(i));
  return Listed(names);
}

// The schema of this version, to add names to.
FlatSchema& SchemaFor(int32_t version, Options& options) {
  for (FlatSchema& schema : options.schemas) {
    if (schema.version == version) return schema;
  }
  const std::string name(FieldName(Field::kSchemaVersion));
  return options.schemas.emplace_back(
      FlatSchema{.version = version, .names = {{name, Field::kSchemaVersion}}});
}

absl::Status ReadSchema(const std::string& at, const json& value, Options& options) {
  if (auto status = OnlyKeys(at, value, {"version", "names"}); !status.ok()) return status;
  int32_t version = 0;
  const json& names = At(value, "names");
  if (auto status = Limit(at + ".version", At(value, "version"), 1, 1'000'000, 1, version); !status.ok()) {
    return status;
  }
  if (!names.is_object() || names.empty()) return Wrong(at + ".names", "an object: spelling -> field");
  FlatSchema& schema = SchemaFor(version, options);
  for (auto name = names.begin(); name != names.end(); ++name) {
    const std::string* text = Text(*name);
    const std::optional<Field> field = text == nullptr ? std::nullopt : FieldFor(*text);
    if (!field) return Wrong(at + ".names." + name.key(), "one of " + AllFields());
    schema.names.insert_or_assign(name.key(), *field);
  }
  return absl::OkStatus();
}

absl::Status ReadSchemas(const std::string& key, const json& value, Options& options) {
  if (!value.is_array()) return Wrong(key, "a list of {\"version\", \"names\"}");
  for (size_t i = 0; i < value.size(); ++i) {
    const std::string at = key + "[" + std::to_string(i) + "]";
    if (auto status = ReadSchema(at, value[i], options); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ReadIdTagKey(const std::string& key, const json& value, Options& options) {
  const std::string* text = Text(value);
  if (text == nullptr) return Wrong(key, "a text that is not empty");
  options.id_tag_key = *text;
  return absl::OkStatus();
}

absl::Status LoadZone(const std::string& key, const json& value, absl::TimeZone& zone) {
  const std::string* name = Text(value);
  if (name != nullptr && absl::LoadTimeZone(*name, &zone)) return absl::OkStatus();
  return Wrong(key, "a time zone that this system knows by its IANA name, as \"Europe/Berlin\"");
}

template <absl::TimeZone Options::*kMember>
absl::Status ReadZone(const std::string& key, const json& value, Options& options) {
  return LoadZone(key, value, options.*kMember);
}

absl::Status ReadSiteZones(const std::string& key, const json& value, Options& options) {
  if (!value.is_object()) return Wrong(key, "an object: charge point -> time zone");
  for (auto site = value.begin(); site != value.end(); ++site) {
    absl::TimeZone& zone = options.site_zone_of[AsciiUpper(site.key())];
    if (auto status = LoadZone(key + "." + site.key(), *site, zone); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ReadNotAnId(const std::string& key, const json& value, Options& options) {
  const char* allowed = "a list of transaction ids: texts or whole numbers";
  if (!value.is_array()) return Wrong(key, allowed);
  for (const json& id : value) {
    if (Text(id) == nullptr && !id.is_number_integer()) return Wrong(key, allowed);
    options.not_an_id.insert(id.is_string() ? *Text(id) : id.dump());
  }
  return absl::OkStatus();
}

absl::Status ReadSeverities(const std::string& key, const json& value, Options& options) {
  std::vector<std::string> codes;
  for (const Rule<Draft>& rule : RulesOf(Options())) codes.push_back(rule.code);
  if (auto status = OnlyKeys(key, value, codes); !status.ok()) return status;
  for (auto code = value.begin(); code != value.end(); ++code) {
    const auto status =
        Choose<Severity>(key + "." + code.key(), *code,
                         {{"reject", Severity::kReject}, {"flag", Severity::kFlag}, {"off", Severity::kOff}},
                         options.severities[code.key()]);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

constexpr int64_t kSecondsMax = 100LL * 365 * 24 * 3600;
constexpr int64_t kPowerMax = 1'000'000'000;

absl::Status ReadPowerOf(const std::string& key, const json& value, Options& options) {
  if (!value.is_array())
    return Wrong(key, "a list of {\"charge_point_id\", \"connector_id\", \"power_max_w\"}");
  for (size_t i = 0; i < value.size(); ++i) {
    const std::string at = key + "[" + std::to_string(i) + "]";
    const auto known = OnlyKeys(at, value[i], {"charge_point_id", "connector_id", "power_max_w"});
    if (!known.ok()) return known;
    const std::string* charge_point = Text(At(value[i], "charge_point_id"));
    if (charge_point == nullptr) return Wrong(at + ".charge_point_id", "a text that is not empty");
    int32_t connector = 0;
    const json& number = At(value[i], "connector_id");
    if (auto status = Limit(at + ".connector_id", number, 1, 1'000'000, 1, connector); !status.ok())
      return status;
    int64_t& power = options.power_max_w_of[{AsciiUpper(*charge_point), connector}];
    const auto status = Limit(at + ".power_max_w", At(value[i], "power_max_w"), 1, kPowerMax, 1, power);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

template <int64_t Options::*kMember>
absl::Status ReadSeconds(const std::string& key, const json& value, Options& options) {
  return Limit(key, value, 1, kSecondsMax, kMicrosPerSecond, options.*kMember);
}

// One key of the configuration.
struct ConfigKey {
  const char* name;
  absl::Status (*read)(const std::string& key, const json& value, Options& options);
};

constexpr ConfigKey kConfigKeys[] = {
    {"id_tag_key", ReadIdTagKey},
    {"schemas", ReadSchemas},
    {"assumed_zone", ReadZone<&Options::assumed_zone>},
    {"missing_offset",
     [](const std::string& key, const json& value, Options& options) {
       return Choose<bool>(key, value, {{"accept", false}, {"quarantine", true}},
                           options.missing_offset_rejected);
     }},
    {"flat_clock",
     [](const std::string& key, const json& value, Options& options) {
       return Choose<ClockPolicy>(key, value,
                                  {{"quarantine", ClockPolicy::kQuarantine}, {"keep", ClockPolicy::kKeep}},
                                  options.flat_clock);
     }},
    {"frame_clock",
     [](const std::string& key, const json& value, Options& options) {
       return Choose<ClockPolicy>(key, value,
                                  {{"quarantine", ClockPolicy::kQuarantine}, {"keep", ClockPolicy::kKeep}},
                                  options.frame_clock);
     }},
    {"not_an_id", ReadNotAnId},
    {"policy",
     [](const std::string& key, const json& value, Options& options) {
       return Choose<Policy>(key, value,
                             {{"keep_first", Policy::kKeepFirst}, {"contest_all", Policy::kContestAll}},
                             options.policy);
     }},
    {"severities", ReadSeverities},
    {"future_max_seconds", ReadSeconds<&Options::future_max_us>},
    {"payload_bytes_max",
     [](const std::string& key, const json& value, Options& options) {
       return Limit(key, value, 2, int64_t{1} << 30, 1, options.payload_bytes_max);
     }},
    {"session_timeout_seconds", ReadSeconds<&Options::session_timeout_us>},
    {"epoch_gap_seconds", ReadSeconds<&Options::epoch_gap_us>},
    {"late_seconds", ReadSeconds<&Options::late_us>},
    {"duration_max_seconds", ReadSeconds<&Options::duration_max_us>},
    {"power_max_w", [](const std::string& key, const json& value,
                       Options& options) { return Limit(key, value, 1, kPowerMax, 1, options.power_max_w); }},
    {"session_energy_max_wh",
     [](const std::string& key, const json& value, Options& options) {
       return Limit(key, value, 1, int64_t{1'000'000'000'000}, 1, options.session_energy_max_wh);
     }},
    {"power_max_w_of", ReadPowerOf},
    {"meter_intervals",
     [](const std::string& key, const json& value, Options& options) {
       if (!value.is_boolean()) return Wrong(key, "true or false");
       options.meter_intervals = value.get<bool>();
       return absl::OkStatus();
     }},
    {"site_zone", ReadZone<&Options::site_zone>},
    {"site_zones", ReadSiteZones},
};

}  // namespace

absl::StatusOr<Options> OptionsFromJson(const json& config) {
  std::vector<std::string> names;
  for (const ConfigKey& key : kConfigKeys) names.emplace_back(key.name);
  if (auto status = OnlyKeys("the configuration", config, names); !status.ok()) return status;
  Options options;
  for (const ConfigKey& key : kConfigKeys) {
    const auto value = config.find(key.name);
    if (value == config.end()) continue;
    if (auto status = key.read(key.name, *value, options); !status.ok()) return status;
  }
  return options;
}

}  // namespace ocpp
}  // namespace medallion
