// meterValue, which several messages have: a list of instants, each with a list of samples.
// Source: OCPP 1.6, 7.33 MeterValue, 7.43 SampledValue; OCPP 2.0.1 part 2, 2.28 MeterValueType, 2.41 SampledValueType.
#pragma once

#include <array>

#include "frames/messages.h"

namespace medallion::ocpp {

inline constexpr auto kSignedFields = std::to_array<FieldSpec>({
    {"signedMeterData", Shape::kText, Slot::kSigned},
    {"signingMethod"},
    {"encodingMethod"},
    {"publicKey"},
    {"customData"},
});
inline constexpr auto kUnitFields = std::to_array<FieldSpec>({
    {"unit", Shape::kText, Slot::kUnit},
    {"multiplier", Shape::kNumber, Slot::kMultiplier},
    {"customData"},
});

// Fields of the other version at the end: a unit that is written must not be overruled by a default.
inline constexpr auto kSampleFields16 = std::to_array<FieldSpec>({
    {"value", Shape::kText, Slot::kValue},
    {"context", Shape::kText, Slot::kContext},
    {"format", Shape::kText, Slot::kFormat},
    {"measurand", Shape::kText, Slot::kMeasurand},
    {"phase", Shape::kText, Slot::kPhase},
    {"location", Shape::kText, Slot::kLocation},
    {"unit", Shape::kText, Slot::kUnit},
    {"unitOfMeasure", Shape::kObject, Slot::kUnit, kUnitFields, "sampledValue.unitOfMeasure.", true},
    {"signedMeterValue", Shape::kObject, Slot::kSigned, kSignedFields, "sampledValue.signedMeterValue.",
     true},
});
inline constexpr auto kSampleFields2 = std::to_array<FieldSpec>({
    {"value", Shape::kNumber, Slot::kValue},
    {"context", Shape::kText, Slot::kContext},
    {"measurand", Shape::kText, Slot::kMeasurand},
    {"phase", Shape::kText, Slot::kPhase},
    {"location", Shape::kText, Slot::kLocation},
    {"signedMeterValue", Shape::kObject, Slot::kSigned, kSignedFields, "sampledValue.signedMeterValue."},
    {"unitOfMeasure", Shape::kObject, Slot::kUnit, kUnitFields, "sampledValue.unitOfMeasure."},
    {"customData"},
    {"unit", Shape::kText, Slot::kUnit, {}, {}, true},
    {"format", Shape::kText, Slot::kFormat, {}, {}, true},
});

inline constexpr auto kInstantFields16 = std::to_array<FieldSpec>({
    {"timestamp", Shape::kText, Slot::kTimestamp},
    {"sampledValue", Shape::kSamples, Slot::kNone, kSampleFields16, "sampledValue."},
});
inline constexpr auto kInstantFields2 = std::to_array<FieldSpec>({
    {"timestamp", Shape::kText, Slot::kTimestamp},
    {"sampledValue", Shape::kSamples, Slot::kNone, kSampleFields2, "sampledValue."},
    {"customData"},
});

}  // namespace medallion::ocpp
