// A frame as it was read: its envelope, and the fields of its payload, each as it was written.
// Source: OCPP-J 1.6, section 4; OCPP 2.0.1 part 4, section 4; 2.1 part 4, section 4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "medallion/ocpp/parse.h"

namespace medallion::ocpp {

enum class FrameType : uint8_t {
  kCall = 2,
  kResult = 3,
  kError = 4,
  kResultError = 5,  // 2.1: the answer to an answer that could not be used
  kSend = 6,         // 2.1: a call that wants no answer
};

// The fields that any of the messages have, whatever each calls them.
// clang-format off
enum class Slot : uint8_t {
  // of a message
  kConnectorId, kEvseId, kTransactionId, kIdTag, kMeter, kTimestamp, kReason, kStatus, kErrorCode, kEventType,
  kTriggerReason, kSeqNo, kOffline, kChargingState, kAuthorization, kInterval, kCurrentTime, kBootReason,
  // of a sample
  kValue, kContext, kFormat, kMeasurand, kPhase, kLocation, kUnit, kMultiplier, kSigned,
  kNone,  // no column: it is kept among the extra fields
};
// clang-format on
inline constexpr size_t kSlots = static_cast<size_t>(Slot::kNone);

// The fields of a message, of one of its instants or of one of its samples.
struct FrameFields {
  uint32_t present = 0;   // bit i: slot i was given, and not as null
  bool coerced = false;   // a text where a number belongs, or the other way round
  bool reshaped = false;  // a name in other casing, one object where a list of them belongs
  bool is_object = true;  // false: something else stood there
  bool listed = false;    // it has a list of samples, or of instants, though it may be empty
  std::string_view
      problem;  // not empty: in place of that list, or of an object, something else stood: its name
  std::string_view ambiguous;             // not empty: a name that was given twice with different values
  std::string_view extra_fields;          // what has no slot, as a JSON object; or empty
  uint32_t begin = 0, end = 0;            // of an instant: its samples
  std::array<FieldValue, kSlots> values;  // only those that are present mean anything

  static constexpr uint32_t Bit(Slot slot) { return 1u << static_cast<int>(slot); }
  bool Has(Slot slot) const { return (present & Bit(slot)) != 0; }
  const FieldValue& operator[](Slot slot) const {
    static constexpr FieldValue kAbsent;
    return Has(slot) ? values[static_cast<size_t>(slot)] : kAbsent;
  }
  void Set(Slot slot, const FieldValue& value) {
    values[static_cast<size_t>(slot)] = value;
    present = (present & ~Bit(slot)) | (value.kind == JsonKind::kAbsent ? 0 : Bit(slot));
  }
  // As new, without a look at the values.
  void Clear() {
    present = begin = end = 0;
    coerced = reshaped = listed = false, is_object = true;
    problem = ambiguous = extra_fields = {};
  }
};
static_assert(kSlots <= 32);

// A list whose memory is used again.
class FieldsPool {
 public:
  FrameFields& Add() {
    if (size_ == pool_.size()) pool_.emplace_back();
    pool_[size_].Clear();
    return pool_[size_++];
  }
  void DropLast() { --size_; }
  size_t size() const { return size_; }
  void Clear() { size_ = 0; }
  FrameFields& operator[](size_t i) { return pool_[i]; }
  const FrameFields& operator[](size_t i) const { return pool_[i]; }
  std::span<const FrameFields> All() const { return std::span(pool_).first(size_); }

 private:
  std::vector<FrameFields> pool_;
  size_t size_ = 0;
};

struct Message;  // see messages.h

// Texts refer to the arena given to the reader.
struct Frame {
  std::string_view corrupt;  // not empty: it cannot be read; a JSON object that says why
  FrameType type = FrameType::kCall;
  FieldValue id;
  bool coerced = false, reshaped = false;  // of the envelope
  std::string_view action;                 // of a call, as it is spelled in the tables; else as it came
  const Message* message = nullptr;        // of a call: null where no version knows the action
  std::string_view code;                   // of an error
  FrameFields header;                      // the payload's own fields
  FieldsPool instants;                     // meterValue, transactionData
  FieldsPool samples;                      // sampledValue, of one instant after the other
  uint64_t unknown_fields = 0;

  std::span<const FrameFields> SamplesOf(const FrameFields& instant) const {
    return samples.All().subspan(instant.begin, instant.end - instant.begin);
  }
  void Clear() {
    corrupt = action = code = {}, type = FrameType::kCall;
    id = {}, message = nullptr, unknown_fields = 0;
    coerced = reshaped = false;
    header.Clear(), instants.Clear(), samples.Clear();
  }
};

}  // namespace medallion::ocpp
