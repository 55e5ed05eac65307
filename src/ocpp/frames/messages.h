// The messages of each version, as tables: what their fields are called, what those are, and what becomes of the message.
// A file each holds one message or a small group; messages.cc lists them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "frames/frame.h"
#include "frames/rows.h"

namespace medallion::ocpp {

// What the specification has under a name.
enum class Shape : uint8_t {
  kText,
  kNumber,   // an integer or a decimal
  kInteger,  // of a meter, of which some write a decimal
  kBool,
  kObject,    // `children` go to the same slots; a scalar in its place goes to the field's own slot
  kInstants,  // a list of objects, an instant each
  kSamples,   // a list of objects, a sample each
  kAny,       // no column; kept as it is
  kRemark,    // the same of a text that some write "null" where there is none
  kPrivate,   // no column, and not kept: it may name a person's token
};

struct FieldSpec {
  std::string_view name;
  Shape shape = Shape::kAny;
  Slot slot = Slot::kNone;
  std::span<const FieldSpec> children = {};
  std::string_view path = {};  // before the names of children that have no slot: "transactionInfo."
  bool foreign = false;        // another version's field, which says the same here
  bool secret = false;  // children that are not in the table are not kept: they may name a person's token
};

// Adds the elements of a call from the station.
using AddElements = void (*)(FrameContext& context);

struct Message {
  std::string_view action;
  uint8_t versions = kOcppAll;
  std::span<const FieldSpec> fields = {};  // none: the payload is of no interest
  AddElements add = nullptr;               // none: no charging fact
};

// The message of that action as `version` has it, else as another version has it; null where none knows it. `folded` is set
// where the action was written in other casing.
const Message* FindMessage(std::string_view action, std::string_view version, bool& folded);
std::vector<const Message*> AllMessages();

// Of any result: what later steps need.
std::span<const FieldSpec> ResultFields();

// The messages with rows, and others whose fields are looked at; a file each, or a group.
extern const Message kStartTransaction, kStopTransaction, kMeterValues16, kMeterValues2, kTransactionEvent,
    kStatusNotification16, kStatusNotification2, kHeartbeat, kBootNotification16, kBootNotification2;

}  // namespace medallion::ocpp
