// The enumerations of OCPP, one table each: exact spellings as in the specifications.
// Pure. Safe from any thread. Source: OCPP 1.6 section 7; OCPP 2.0.1 and 2.1 part 2, section 3.
#pragma once

#include <cstdint>
#include <string_view>

#include "medallion/ocpp/charging_event.h"

namespace medallion::ocpp {

// Sets of versions, a bit each.
enum Versions : uint8_t {
  kOcpp16 = 1u << 0,
  kOcpp201 = 1u << 1,
  kOcpp21 = 1u << 2,
  kOcpp2 = kOcpp201 | kOcpp21,
  kOcppAll = kOcpp16 | kOcpp2,
};
uint8_t VersionsOf(std::string_view version);  // "2.0.1" -> kOcpp201; empty: all

// clang-format off
enum class Enumeration : uint8_t {
  kMeasurand, kPhase, kLocation, kContext, kUnit, kStopReason, kErrorCode, kTriggerReason, kChargingState,
};
// clang-format on

struct EnumMember {
  std::string_view name = {};
  uint8_t versions = 0;  // that have it. Units are those of 1.6 and its errata, since 2.x leaves them open
};

// The member that `text` names: matched exactly first, then by ASCII case. One without a name where it is none.
EnumMember MemberOf(Enumeration enumeration, std::string_view text);
// Its canonical spelling; empty where it is no member of any version.
std::string_view Canonical(Enumeration enumeration, std::string_view text);

// The connector status of `version`, with case, `_`, `-` and spaces folded. Every status of any version where the version
// is unknown. Empty where it is none.
std::string_view CanonicalStatus(std::string_view version, std::string_view text);

// The event type with case, `_`, `-` and spaces folded; kUnknown where it is none.
EventType CanonicalEventType(std::string_view text);

// "1.6" for "1.6", "1.6J" and "ocpp1.6"; "2.0.1" for "ocpp2.0.1"; other texts as they are.
std::string_view CanonicalVersion(std::string_view text);
bool IsVersion2(std::string_view version);

inline constexpr std::string_view kEnergyRegister = "Energy.Active.Import.Register";

// How a unit relates to the one that its dimension is compared in.
struct UnitScale {
  std::string_view base;  // "Wh", "varh", "W", "Celsius", …; the unit itself where it stands alone
  int exponent10 = 0;     // unit = base * 10^exponent10
};
UnitScale ScaleOf(std::string_view unit);

}  // namespace medallion::ocpp
