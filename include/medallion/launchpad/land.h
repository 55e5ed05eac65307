// Landing: events of a feed go to envelopes in a directory, each whole or not at all. At the edge: it writes files.
//
// With a write-ahead file an event that was taken is never lost and lands once, wherever the process stops. Its lines:
//
//   print ' ' "from" ' ' number            events before this one have landed
//   print ' ' "event" ' ' number ' ' us ' ' json       us: of ingestion since 1970, or "-"
//   print ' ' "cut" ' ' number ' ' count   these events are one envelope, which is being published
//
// `print` is 16 hexadecimal digits of the rest of the line; a line that has another was never finished. Numbers count the
// events that were ever taken; of lines about one number the last holds.
//
// One thread at a time. Source: the launchpad domain, 7.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/io/landing.h"
#include "medallion/launchpad/envelope.h"

namespace medallion::launchpad {

struct LandOptions {
  EnvelopeOptions envelope = {};
  std::string write_ahead = {};  // a file; empty: none
};

class Lander {
 public:
  // Takes up what a write-ahead file has. `files` must outlive the lander.
  static absl::StatusOr<std::unique_ptr<Lander>> Open(const std::string& directory, LandOptions options,
                                                      FileOps& files = FileOps::System());

  // How many events were ever taken, this process or one before: a producer goes on from there. Without a write-ahead
  // file those of this process.
  int64_t taken() const { return next_; }
  size_t waiting() const { return writer_.size(); }
  int64_t envelopes() const { return envelopes_; }  // published by this process, those there already too

  // Takes the events, all of them, or after an error none: then try again.
  absl::Status Add(std::span<const LandedEvent> events);

  // Publishes what is full, or due at `now`; `all`: everything. After an error what was not published waits on: the next
  // call tries the same again.
  absl::Status Flush(UtcTime now, bool all = false);

 private:
  Lander(const std::string& directory, LandOptions options, FileOps& files);
  absl::Status Recover();
  void TakeLine(std::string_view line);
  absl::Status Log(const std::string& lines);
  absl::Status Compact();
  absl::Status Land(size_t count);

  LandOptions options_;
  FileOps& files_;
  DirectorySink sink_;
  EnvelopeWriter writer_;
  int64_t first_ = 0;     // the number of the first event that waits
  int64_t next_ = 0;      // that the next event gets
  size_t cut_ = 0;        // how many events the envelope has that is being published; 0: none is
  bool unclean_ = false;  // the write-ahead file may end within a line
  bool landed_ = false;   // the cut was published, though the write-ahead file still has it
  int64_t envelopes_ = 0;
};

}  // namespace medallion::launchpad
