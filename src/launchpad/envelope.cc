#include "medallion/launchpad/envelope.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "absl/strings/escaping.h"
#include "medallion/base/digest.h"
#include "medallion/base/text.h"
#include "zstd_codec.h"

namespace medallion::launchpad {
namespace {

constexpr size_t kPieceBytes = size_t{48} << 10;  // of decoded base64

constexpr std::array<int8_t, 256> kBase64 = [] {
  std::array<int8_t, 256> digits{};
  digits.fill(-1);
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<uint8_t>(kAlphabet[i])] = static_cast<int8_t>(i);
  }
  return digits;
}();

// Undoes base64 piece by piece. Strict: RFC 4648, 4, with its padding.
class Base64Reader {
 public:
  explicit Base64Reader(std::string_view text) : text_(text), broken_(text.size() % 4 != 0) {}

  std::string_view Next() {
    piece_.clear();
    while (!broken_ && !text_.empty() && piece_.size() < kPieceBytes) TakeGroup();
    return broken_ ? std::string_view() : piece_;
  }
  bool broken() const { return broken_; }

 private:
  void TakeGroup() {
    const std::string_view group = text_.substr(0, 4);
    text_.remove_prefix(4);
    size_t digits = 4;
    if (text_.empty()) digits -= group.ends_with("==") ? 2 : group.ends_with('=') ? 1 : 0;
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; ++i) {
      const int8_t digit = i < digits ? kBase64[static_cast<uint8_t>(group[i])] : int8_t{0};
      if (digit < 0) broken_ = true;
      bits = bits << 6 | static_cast<uint32_t>(digit & 63);
    }
    if (digits < 4 && (bits & (digits == 3 ? 0xFFu : 0xFFFFu)) != 0) broken_ = true;
    for (size_t i = 0; i + 1 < digits; ++i) piece_.push_back(static_cast<char>(bits >> (16 - 8 * i)));
  }

  std::string_view text_;
  bool broken_;
  std::string piece_;
};

bool DecodeNone(NextPiece next, TakePiece take) {
  for (std::string_view piece = next(); !piece.empty(); piece = next()) {
    if (!take(piece)) break;
  }
  return true;
}

const Decode* FindDecoder(std::string_view codec, std::span<const Decoder> decoders) {
  const auto found = std::find_if(decoders.begin(), decoders.end(),
                                  [&](const Decoder& decoder) { return decoder.codec == codec; });
  return found == decoders.end() ? nullptr : &found->decode;
}

// Cuts pieces into lines, the blank ones left out.
class LineCutter {
 public:
  explicit LineCutter(absl::FunctionRef<void(std::string_view)> use) : use_(use) {}

  void Take(std::string_view piece) {
    for (size_t end = piece.find('\n'); end != piece.npos; end = piece.find('\n')) {
      Add(piece.substr(0, end));
      Finish();
      piece.remove_prefix(end + 1);
    }
    Add(piece);
  }
  void Finish() {
    if (!Trim(line_).empty()) use_(line_);
    line_.clear();
  }

 private:
  void Add(std::string_view part) { line_.append(part); }

  absl::FunctionRef<void(std::string_view)> use_;
  std::string line_;
};

// The same where only their number is asked for: nothing is kept.
class LineCounter {
 public:
  void Take(std::string_view piece) {
    for (const char c : piece) {
      if (c == '\n') {
        Finish();
      } else {
        blank_ = blank_ && (c == ' ' || c == '\t' || c == '\r');
      }
    }
  }
  void Finish() {
    if (!blank_) ++lines;
    blank_ = true;
  }
  int64_t lines = 0;

 private:
  bool blank_ = true;
};

void AppendMember(std::string_view name, std::string_view value, std::string& json) {
  json.append(json.empty() || json.back() == '\n' ? "{" : ",");
  AppendJsonString(name, json);
  json.append(":").append(value);
}

std::string Quoted(std::string_view text) {
  std::string quoted;
  AppendJsonString(text, quoted);
  return quoted;
}

// A line end between two tokens would end the line.
void AppendEvent(std::string_view json, std::string& out) {
  const size_t begin = out.size();
  out.append(Trim(json));
  std::replace_if(
      out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
      [](char c) { return c == '\n' || c == '\r'; }, ' ');
}

std::string Lines(std::span<const LandedEvent> events, const EnvelopeOptions& options) {
  std::string lines;
  const std::string source = Quoted(options.source);
  for (const LandedEvent& event : events) {
    AppendMember("_source", source, lines);
    if (event.ingested_at != kNoTime)
      AppendMember("_ingested_at", Quoted(FormatTime(event.ingested_at)), lines);
    AppendMember("event", "", lines);
    AppendEvent(event.json, lines);
    lines.append("}\n");
  }
  return lines;
}

// "20260301T100000.000000Z", sorted as time is.
std::string TimeName(UtcTime time) {
  std::string name = FormatTime(time);
  std::erase_if(name, [](char c) { return c == '-' || c == ':'; });
  return name;
}

}  // namespace

const std::vector<Decoder>& DefaultDecoders() {
  static const std::vector<Decoder> decoders = {{"zstd", DecodeZstd}, {"none", DecodeNone}};
  return decoders;
}

EnvelopeContent CheckEnvelope(const Envelope& envelope, std::span<const Decoder> decoders,
                              const EnvelopeLimits& limits) {
  const Decode* decode = FindDecoder(envelope.codec, decoders);
  if (decode == nullptr) return {.code = "UNSUPPORTED_CODEC"};
  Base64Reader base64(envelope.data_b64);
  EnvelopeContent content;
  LineCounter counter;
  const bool whole =
      (*decode)([&] { return base64.Next(); },
                [&](std::string_view piece) {
                  content.bytes += static_cast<int64_t>(piece.size());
                  counter.Take(piece);
                  return content.bytes <= limits.bytes_max && counter.lines <= limits.lines_max;
                });
  if (content.bytes > limits.bytes_max || counter.lines > limits.lines_max)
    return {.code = "ENVELOPE_TOO_LARGE"};
  if (!whole || base64.broken()) return {.code = "ENVELOPE_CORRUPT"};
  counter.Finish();
  content.lines = counter.lines;
  return content;
}

void ReadLines(const Envelope& envelope, std::span<const Decoder> decoders,
               absl::FunctionRef<void(std::string_view)> use) {
  const Decode* decode = FindDecoder(envelope.codec, decoders);
  if (decode == nullptr) return;
  Base64Reader base64(envelope.data_b64);
  LineCutter cutter(use);
  (*decode)([&] { return base64.Next(); }, [&](std::string_view piece) { return cutter.Take(piece), true; });
  cutter.Finish();
}

EncodedEnvelope EncodeEnvelope(std::span<const LandedEvent> events, const EnvelopeOptions& options) {
  const std::string lines = Lines(events, options);
  const UtcTime first = events.empty() ? kNoTime : events.front().ingested_at;
  const UtcTime last = events.empty() ? kNoTime : events.back().ingested_at;
  EncodedEnvelope encoded;
  std::string& json = encoded.json;
  AppendMember("_source", Quoted(options.source), json);
  if (last != kNoTime) AppendMember("_ingested_at", Quoted(FormatTime(last)), json);
  AppendMember("event_count", std::to_string(events.size()), json);
  AppendMember("codec", Quoted(options.codec), json);
  AppendMember("uncompressed_bytes", std::to_string(lines.size()), json);
  const std::string packed = options.codec == "zstd" ? CompressZstd(lines, options.level) : lines;
  AppendMember("data_b64", Quoted(absl::Base64Escape(packed)), json);
  json.append("}");
  // Of the content, not of what a release of zstd makes of it.
  encoded.name = (first == kNoTime ? "" : TimeName(first) + "-") + Hex(Sha256(lines)).substr(0, 32);
  return encoded;
}

size_t EnvelopeWriter::Ready(UtcTime now, bool all) const {
  if (events_.size() >= options_.events_max) return options_.events_max;
  if (all || events_.empty()) return events_.size();
  const UtcTime oldest = events_.front().ingested_at;
  const bool due = oldest != kNoTime && now != kNoTime && now.us - oldest.us >= options_.flush_us;
  return due ? events_.size() : 0;
}

}  // namespace medallion::launchpad
