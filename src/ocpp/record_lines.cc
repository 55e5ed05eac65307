#include "medallion/ocpp/record_lines.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/escaping.h"
#include "medallion/base/text.h"
#include "medallion/ocpp/enums.h"
#include "simdjson.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace medallion::ocpp {
namespace {

namespace ondemand = simdjson::ondemand;

// A wrapper as it was read.
struct Wrapper {
  BronzeRecord record;
  bool has_payload = false;
  bool is_event = false;  // the line has an event's own fields: it is a payload by itself
  bool has_topic = false, has_partition = false, has_offset = false;
  bool has_place = false;  // any field that only a wrapper has
};

std::optional<int64_t> Whole(ondemand::value& value) {
  int64_t number = 0;
  if (value.get_int64().get(number) == simdjson::SUCCESS) return number;
  return std::nullopt;
}

std::string_view CopyText(ondemand::value& value, Arena& texts) {
  std::string_view text;
  return value.get_string().get(text) == simdjson::SUCCESS ? texts.Copy(text) : std::string_view();
}

UtcTime Time(ondemand::value& value) {
  std::string_view text;
  if (value.get_string().get(text) != simdjson::SUCCESS) return kNoTime;
  const std::optional<ParsedTime> parsed = ParseTime(text);
  return parsed ? parsed->time : kNoTime;
}

// The bytes that base64 stands for; text that is no base64 stays as it is, and will not pass for a payload.
std::string_view Bytes(std::string_view text, Arena& texts) {
  std::string bytes;
  return absl::Base64Unescape(std::string(text), &bytes) ? texts.Copy(bytes) : text;
}

// The value's own JSON text.
std::string_view Raw(ondemand::value& value) {
  ondemand::json_type type;
  std::string_view raw;
  if (value.type().get(type)) return {};
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (value.get_object().get(object) || object.raw_json().get(raw)) return {};
    return raw;
  }
  if (type == ondemand::json_type::array) {
    ondemand::array array;
    if (value.get_array().get(array) || array.raw_json().get(raw)) return {};
    return raw;
  }
  return Trim(value.raw_json_token());
}

void ReadPayload(std::string_view name, ondemand::value& value, Wrapper& wrapper, Arena& texts) {
  wrapper.has_payload = true;
  std::string_view& payload = wrapper.record.payload;
  ondemand::json_type type;
  const bool text = name != "value" && !value.type().get(type) && type == ondemand::json_type::string;
  if (name == "value" || (name == "frame" && !text)) {
    payload = texts.Copy(Raw(value));
  } else {
    payload = CopyText(value, texts);
    if (name == "value_b64") payload = Bytes(payload, texts);
  }
}

void ReadField(std::string_view name, ondemand::value& value, Wrapper& wrapper, Arena& texts) {
  BronzeRecord& record = wrapper.record;
  if (name == "payload" || name == "value_text" || name == "value" || name == "value_b64" ||
      name == "frame") {
    ReadPayload(name, value, wrapper, texts);
  } else if (name == "topic") {
    wrapper.has_place = wrapper.has_topic = true;
    record.at.topic = CopyText(value, texts);
  } else if (name == "partition") {
    const std::optional<int64_t> partition = Whole(value);
    wrapper.has_place = true;
    wrapper.has_partition = partition.has_value();
    record.at.partition = static_cast<int32_t>(std::clamp<int64_t>(
        partition.value_or(0), std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
  } else if (name == "offset") {
    const std::optional<int64_t> offset = Whole(value);
    wrapper.has_place = true;
    if (offset) record.at.offset = *offset, wrapper.has_offset = true;
  } else if (name == "key" || (name == "charge_point_id" && record.key.empty())) {
    record.key = CopyText(value, texts);
  } else if (name == "broker_ts") {
    wrapper.has_place = true;
    record.broker_ts = Time(value);
  } else if (name == "ingest_ts" || (name == "ts" && record.ingest_ts == kNoTime)) {
    record.ingest_ts = Time(value);
  } else if (name == "direction") {
    std::string_view text;
    if (!value.get_string().get(text) && text == "out") record.direction = Direction::kOut;
  } else if (name == "ocpp_version" || name == "protocol") {
    record.version = CanonicalVersion(CopyText(value, texts));
  } else if (name == "connection_id") {
    record.connection_id = CopyText(value, texts);
  } else if (name == "event_type" || name == "action") {
    wrapper.is_event = true;
  }
}

}  // namespace

struct RecordLines::Scratch {
  LineFormat format = LineFormat::kAuto;
  LineDefaults defaults;
  ondemand::parser parser;
  std::string padded;
};

RecordLines::RecordLines(LineFormat format) : scratch_(std::make_unique<Scratch>()) {
  scratch_->format = format;
}
RecordLines::~RecordLines() = default;
RecordLines::RecordLines(RecordLines&&) noexcept = default;
RecordLines& RecordLines::operator=(RecordLines&&) noexcept = default;
const LineDefaults& RecordLines::defaults() const { return scratch_->defaults; }

namespace {

// The names of which a line must have one to be told for a wrapper.
constexpr auto kWrapperNames = std::to_array<std::string_view>(
    {"\"payload\"", "\"value\"", "\"value_text\"", "\"value_b64\"", "\"frame\"", "\"topic\"", "\"partition\"",
     "\"offset\"", "\"broker_ts\""});

// Four bytes as a number.
constexpr uint32_t FourOf(std::string_view text) {
  uint32_t four = 0;
  for (size_t i = 0; i < 4; ++i) four |= uint32_t{static_cast<uint8_t>(text[i])} << (8 * i);
  return four;
}

bool NamesWrapper(std::string_view from_quote) {
  if (from_quote.size() < 4) return false;
  const uint32_t four = FourOf(from_quote);
  return std::any_of(kWrapperNames.begin(), kWrapperNames.end(), [&](std::string_view name) {
    return FourOf(name) == four && from_quote.starts_with(name);
  });
}

// Bits of the bytes among the 16 at `at` that are an escape or, with the byte after them, may begin a wrapper's name.
#ifdef __SSE2__
uint32_t TellingBytes(const char* at) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  const __m128i after = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 1));
  __m128i first = _mm_setzero_si128();
  for (const char letter : {'p', 'v', 'f', 't', 'o', 'b'}) {
    first = _mm_or_si128(first, _mm_cmpeq_epi8(after, _mm_set1_epi8(letter)));
  }
  const __m128i named = _mm_and_si128(first, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
  const __m128i escape = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
  return static_cast<uint32_t>(_mm_movemask_epi8(_mm_or_si128(named, escape)));
}
#else
uint32_t TellingBytes(const char* at) {
  uint32_t bits = 0;
  for (size_t i = 0; i < 16; ++i) bits |= uint32_t{at[i] == '"' || at[i] == '\\'} << i;
  return bits;
}
#endif

// Whether the line may be a wrapper: one of the names stands in it, anywhere, or an escape, which may hide one.
bool MayWrap(std::string_view line) {
  constexpr size_t kStep = 16;
  constexpr size_t kSteps = 4;  // whose bits are looked at together
  const auto any_tells = [&](size_t begin, uint64_t bits) {
    for (; bits != 0; bits &= bits - 1) {
      const size_t i = begin + static_cast<size_t>(std::countr_zero(bits));
      if (line[i] == '\\' || NamesWrapper(line.substr(i))) return true;
    }
    return false;
  };
  size_t begin = 0;
  for (; line.size() - begin > kStep * kSteps; begin += kStep * kSteps) {
    uint64_t bits = 0;
    for (size_t i = 0; i < kSteps; ++i) {
      bits |= uint64_t{TellingBytes(line.data() + begin + i * kStep)} << (i * kStep);
    }
    if (any_tells(begin, bits)) return true;
  }
  char padded[kStep * kSteps + 1] = {};  // the last bytes, with zeros behind
  std::copy(line.begin() + static_cast<std::ptrdiff_t>(begin), line.end(), padded);
  for (size_t at = 0; begin + at < line.size(); at += kStep) {
    if (any_tells(begin + at, TellingBytes(padded + at))) return true;
  }
  return false;
}

// The text between the quotes that follow each other at `from` and later; null where there is an escape between them, or
// no such text.
std::optional<std::string_view> PlainText(std::string_view line, size_t from) {
  if (from >= line.size() || line[from] != '"') return std::nullopt;
  const size_t end = line.find('"', from + 1);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view text = line.substr(from + 1, end - from - 1);
  if (text.find('\\') != std::string_view::npos) return std::nullopt;
  return text;
}

// Whether an event's own field is seen among the line's first members: then it is a payload by itself, whatever follows.
// Looks no further than where all is plain text without blanks.
bool BeginsAsEvent(std::string_view line) {
  constexpr int kMembers = 3;
  if (!line.starts_with('{')) return false;
  size_t at = 1;
  for (int member = 0; member < kMembers; ++member) {
    const std::optional<std::string_view> name = PlainText(line, at);
    if (!name) return false;
    at += name->size() + 2;
    if (at >= line.size() || line[at] != ':') return false;
    if (*name == "event_type" || *name == "action") return true;
    const std::optional<std::string_view> value = PlainText(line, at + 1);
    if (!value) return false;
    at += value->size() + 3;
    if (at >= line.size() || line[at] != ',') return false;
    ++at;
  }
  return false;
}

// False where the line is no JSON object to its end.
bool ReadWrapper(ondemand::parser& parser, std::string& padded, std::string_view line, Wrapper& wrapper,
                 Arena& texts) {
  padded.assign(line);
  padded.append(simdjson::SIMDJSON_PADDING, ' ');
  ondemand::document document;
  ondemand::object object;
  if (parser.iterate(padded.data(), line.size(), padded.size()).get(document)) return false;
  if (document.get_object().get(object)) return false;
  for (auto result : object) {
    ondemand::field field;
    std::string_view name;
    if (std::move(result).get(field) || field.unescaped_key().get(name)) return false;
    ondemand::value value = field.value();
    const std::string kept(name);  // the next text that is unescaped may take its place
    ReadField(kept, value, wrapper, texts);
  }
  const char* after = nullptr;
  return document.current_location().get(after) != simdjson::SUCCESS;
}

// A line that is a payload by itself.
BronzeRecord Bare(std::string_view line, const Coordinate& at, LineDefaults& defaults) {
  ++defaults.topic, ++defaults.offset, ++defaults.ingest_ts;
  return {.payload = line, .at = at};
}

}  // namespace

BronzeRecord RecordLines::Decode(std::string_view line, const Coordinate& at, Arena& texts) {
  LineDefaults& defaults = scratch_->defaults;
  const bool told = scratch_->format == LineFormat::kAuto && (BeginsAsEvent(line) || !MayWrap(line));
  if (told || scratch_->format == LineFormat::kBare) return Bare(line, at, defaults);
  Wrapper wrapper;
  const bool read = ReadWrapper(scratch_->parser, scratch_->padded, line, wrapper, texts);
  const bool wraps = scratch_->format == LineFormat::kWrapped ||
                     (!wrapper.is_event && (wrapper.has_payload || wrapper.has_place));
  if (!read || !wraps) return Bare(line, at, defaults);
  BronzeRecord record = wrapper.record;
  if (!wrapper.has_topic || record.at.topic.empty()) record.at.topic = at.topic, ++defaults.topic;
  if (!wrapper.has_partition) record.at.partition = at.partition;
  if (!wrapper.has_offset) record.at.offset = at.offset, ++defaults.offset;
  if (record.ingest_ts == kNoTime) record.ingest_ts = record.broker_ts, ++defaults.ingest_ts;
  return record;
}

}  // namespace medallion::ocpp
