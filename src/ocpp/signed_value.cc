#include "signed_value.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "medallion/base/decimal.h"
#include "medallion/base/text.h"
#include "medallion/ocpp/enums.h"
#include "simdjson.h"

namespace medallion::ocpp {
namespace {

namespace ondemand = simdjson::ondemand;

// OCMF|<payload: JSON>|<signature: JSON>
constexpr std::string_view kOcmf = "OCMF|";

// The text of a member, without quotes where it is a text; empty, if there is none.
std::string TextOf(ondemand::object object, std::string_view name) {
  ondemand::value value;
  std::string_view text;
  if (object.find_field_unordered(name).get(value) != simdjson::SUCCESS) return {};
  ondemand::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) return {};
  if (type == ondemand::json_type::string) {
    return value.get_string().get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
  }
  return std::string(Trim(value.raw_json_token()));
}

std::string SignedMeterData(std::string_view json) {
  const simdjson::padded_string padded(json);
  ondemand::parser parser;
  ondemand::document document;
  ondemand::object object;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return {};
  return document.get_object().get(object) == simdjson::SUCCESS ? TextOf(object, "signedMeterData")
                                                                : std::string();
}

bool IsHexadecimal(std::string_view text) {
  return text.size() % 2 == 0 && text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
}

// The record; empty, if the text holds none.
std::string Unwrapped(std::string_view text) {
  std::string record(Trim(text));
  if (record.starts_with('{')) record = SignedMeterData(record);
  if (record.starts_with(kOcmf)) return record;
  std::string bytes;
  if (IsHexadecimal(record)) {
    bytes = absl::HexStringToBytes(record);
  } else if (!absl::Base64Unescape(record, &bytes)) {
    return {};
  }
  return bytes.starts_with(kOcmf) ? bytes : std::string();
}

std::optional<Thousandths> WattHours(std::string_view value, std::string_view unit) {
  const UnitScale scale = ScaleOf(unit);
  if (scale.base != "Wh") return std::nullopt;
  const std::optional<Decimal> wh = Decimal::Parse(value, scale.exponent10);
  const std::optional<int64_t> units = wh.has_value() ? wh->Rounded(3) : std::nullopt;
  return units.has_value() ? std::optional(Thousandths{*units}) : std::nullopt;
}

// Import of active energy by its OBIS code: "1-b:1.8.0", "01-00:B2.08.00*FF". None named: the format's own meter is one.
bool IsImport(std::string_view code) {
  return code.empty() || code.find(":1.8.0") != code.npos || code.find(":01.08.00") != code.npos ||
         code.find(":B1.08.00") != code.npos || code.find(":B2.08.00") != code.npos;
}

// Takes one reading; what it leaves out holds from the one before it.
class Taker {
 public:
  void Take(ondemand::object reading) {
    Keep(TextOf(reading, "RU"), unit_);
    Keep(TextOf(reading, "RI"), code_);
    Keep(TextOf(reading, "TX"), kind_);
    const std::string status = TextOf(reading, "ST"), value = TextOf(reading, "RV");
    if (kind_.empty() || !IsImport(code_) || (!status.empty() && status != "G")) return;
    const std::optional<Thousandths> wh = WattHours(value, unit_);
    if (!wh.has_value()) return;
    const std::string_view ends =
        "ELRAP";  // by the user, the station, from afar, aborted, by a loss of power
    if (kind_ == "B" && !made_.begin.has_value()) made_.begin = wh;
    if (kind_.size() == 1 && ends.find(kind_) != ends.npos) made_.end = wh;
  }
  const SignedRegisters& made() const { return made_; }

 private:
  static void Keep(std::string text, std::string& known) {
    if (!text.empty()) known = std::move(text);
  }
  std::string unit_, code_, kind_;
  SignedRegisters made_;
};

}  // namespace

SignedRegisters ReadSigned(std::string_view text) {
  const std::string record = Unwrapped(text);
  const size_t begin = kOcmf.size(), end = record.rfind('|');
  if (record.empty() || end == record.npos || end < begin) return {};
  const simdjson::padded_string padded(std::string_view(record).substr(begin, end - begin));
  ondemand::parser parser;
  ondemand::document document;
  ondemand::array readings;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return {};
  if (document["RD"].get_array().get(readings) != simdjson::SUCCESS) return {};
  Taker taker;
  for (simdjson::simdjson_result<ondemand::value> entry : readings) {
    ondemand::object reading;
    if (entry.get_object().get(reading) != simdjson::SUCCESS) break;
    taker.Take(reading);
  }
  return taker.made();
}

}  // namespace medallion::ocpp
