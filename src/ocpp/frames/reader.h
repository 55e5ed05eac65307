// Reading frames: from a payload's text to a Frame. Never fails: what cannot be read comes back with `corrupt` set.
// The text is walked once, and each value lands in its slot. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frames/frame.h"
#include "frames/messages.h"
#include "json_walk.h"
#include "medallion/base/arena.h"

namespace medallion::ocpp {

// Whether a payload is an array, and so to be read as a frame.
bool IsFrame(std::string_view payload);

class FrameReader {
 public:
  explicit FrameReader(size_t payload_bytes_max) : payload_bytes_max_(payload_bytes_max) {}

  // `version` is the negotiated one. The frame is the reader's own and good until the next payload.
  const Frame& Read(std::string_view payload, std::string_view version, Arena& texts);

 private:
  // An object that is being read: where its values go, and what has none.
  struct Target {
    FrameFields& fields;
    std::string& extra;
  };
  struct Part {  // where the value of a known field lies, and under which name; written before it is read
    const char *begin, *end;
    bool blank;  // null, or a blank text
    std::string_view name;
  };
  // The functions that return text say why it is no frame; null where nothing is wrong, or the walk has failed.
  const char* Envelope(std::string_view version, JsonWalk& walk);
  const char* Element(size_t i, std::string_view version, JsonWalk& walk);
  const char* Type(const FieldValue& value, std::string_view version);
  const char* Third(const FieldValue& value, std::string_view version);
  const char* Payload(std::string_view version, JsonWalk& walk);

  bool Object(const FieldSpec& owner, Target target, JsonWalk& walk);
  bool Field(const FieldSpec& spec, Target target, JsonWalk& walk, Part& part);
  bool Again(const FieldSpec& spec, Target target, JsonWalk& walk, std::string_view name, Part& part);
  bool List(const FieldSpec& spec, FrameFields& owner, JsonWalk& walk);
  bool Item(const FieldSpec& spec, JsonWalk& walk);
  void Keep(const FieldSpec& owner, size_t begin, Target target);

  size_t payload_bytes_max_;
  Frame frame_;
  Arena* texts_ = nullptr;
  FieldValue type_;              // as it was written
  std::vector<Member> members_;  // without a slot, of the objects that are being read
  std::string extra_[3];         // extra fields of the message, an instant, a sample
};

}  // namespace medallion::ocpp
