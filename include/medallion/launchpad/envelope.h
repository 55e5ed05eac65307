// Batch envelopes: many lines of a feed as one JSON object.
//
//   envelope := {"_source", "_ingested_at", "event_count", "codec", "uncompressed_bytes", "data_b64"}
//   data_b64 := base64 of the content, compressed as `codec` says: "zstd", or "none"
//   content  := (line '\n')*         blank lines do not count
//   line     := {"_source", "_ingested_at", "event"}
//
// Reading is bounded: content is never held as a whole, and is read twice, once to check it.
// Pure: results depend on the arguments alone. Safe from any thread. Source: the launchpad domain, 2 and 7.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "medallion/base/time.h"

namespace medallion::launchpad {

// The next piece of what is to be decoded; empty at its end.
using NextPiece = absl::FunctionRef<std::string_view()>;
// Takes a piece of what was decoded. False: no more is wanted.
using TakePiece = absl::FunctionRef<bool(std::string_view)>;

// Undoes a codec, piece by piece, in bounded memory. False where what it reads is broken or cut short; true as well where
// no more was wanted.
using Decode = std::function<bool(NextPiece next, TakePiece take)>;

struct Decoder {
  std::string codec;  // as envelopes name it
  Decode decode;
};

// "zstd" and "none". Of zstd a window of at most 8 MiB is taken, which levels up to 19 need.
const std::vector<Decoder>& DefaultDecoders();

// An envelope as it was read; refers to the memory of whoever read it. A number that is told but is no count is -1.
struct Envelope {
  std::string_view source = {};
  UtcTime ingested_at = kNoTime;
  std::optional<int64_t> event_count = {};
  std::string_view codec = {};  // empty: missing
  std::optional<int64_t> uncompressed_bytes = {};
  std::string_view data_b64 = {};
};

// What an envelope holds. `code` is empty, or says why no line of it counts: UNSUPPORTED_CODEC, ENVELOPE_CORRUPT,
// ENVELOPE_TOO_LARGE; then `lines` is 0.
struct EnvelopeContent {
  std::string_view code = {};
  int64_t lines = 0;
  int64_t bytes = 0;
};

struct EnvelopeLimits {
  int64_t bytes_max = int64_t{64} << 20;
  int64_t lines_max = 1'000'000;
};

// Decodes and discards.
EnvelopeContent CheckEnvelope(const Envelope& envelope, std::span<const Decoder> decoders,
                              const EnvelopeLimits& limits);

// Hands out the lines of an envelope that was checked. Each is good until the next.
void ReadLines(const Envelope& envelope, std::span<const Decoder> decoders,
               absl::FunctionRef<void(std::string_view)> use);

// What was promised and did not come.
inline int64_t DeclaredLoss(const Envelope& envelope, int64_t lines) {
  const int64_t missing = envelope.event_count.value_or(0) - lines;
  return missing > 0 ? missing : 0;
}

// ---- Writing ----

struct LandedEvent {
  std::string json;               // one feed message
  UtcTime ingested_at = kNoTime;  // not written where it is not known
};

struct EnvelopeOptions {
  std::string source = "feed";
  std::string codec = "zstd";  // or "none"
  int level = 3;               // of zstd
  size_t events_max = 5'000;
  int64_t flush_us = 5 * kMicrosPerSecond;  // the oldest event waits no longer
};

// A finished envelope: its text, and a name that is a function of its content: the first event's time and a digest.
struct EncodedEnvelope {
  std::string name;
  std::string json;
};

EncodedEnvelope EncodeEnvelope(std::span<const LandedEvent> events, const EnvelopeOptions& options);

// Collects events until an envelope is full or due. Knows no clock: when it is, is data. One thread at a time.
class EnvelopeWriter {
 public:
  explicit EnvelopeWriter(EnvelopeOptions options) : options_(std::move(options)) {}

  void Add(LandedEvent event) { events_.push_back(std::move(event)); }
  size_t size() const { return events_.size(); }
  const LandedEvent& event(size_t i) const { return events_[i]; }
  const EnvelopeOptions& options() const { return options_; }

  // How many events the next envelope takes: 0 where none is full, or, at `now`, due. `all`: whatever is there.
  size_t Ready(UtcTime now, bool all = false) const;
  EncodedEnvelope Encode(size_t events) const {
    return EncodeEnvelope(std::span(events_).first(events), options_);
  }
  // Forgets all events but so many.
  void Truncate(size_t events) { events_.resize(std::min(events, events_.size())); }
  // Forgets the first events, which were published.
  void Drop(size_t events) {
    events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(events));
  }

 private:
  EnvelopeOptions options_;
  std::vector<LandedEvent> events_;
};

}  // namespace medallion::launchpad
