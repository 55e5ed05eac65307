// Values as Kafka Connect's JSON converter writes what Debezium read from a column. Pure.
// Source: Debezium's documentation, "Data type mappings" of the PostgreSQL and MySQL connectors: decimal.handling.mode,
// time.precision.mode; Kafka Connect, org.apache.kafka.connect.data.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json_tree.h"
#include "medallion/base/time.h"

namespace medallion::ledger::connect {

// What the schema says of a column; empty where the record came without one.
struct ColumnType {
  std::string_view type = {};  // "bytes", "int64", "string"
  std::string_view name = {};  // the logical type: "org.apache.kafka.connect.data.Decimal"
  std::optional<int> scale = {};
};

// The type of a column of `before` or `after` in the schema of a record's value; null without a schema.
ColumnType TypeOf(const json::Tree& tree, const json::Node* schema, std::string_view image,
                  std::string_view column);

// A decimal in its canonical form ("12.5"). `is_float` is set where it is a JSON float, which is never read.
//
//   precise   base64 of an unscaled two's complement, with the scale in the schema, or {"scale":…,"value":base64}
//   string    "12.50"
//   double    refused; a whole number is exact and is taken
//
// `scale` stands in where there is no schema: then a text is base64, else a plain decimal.
std::optional<std::string> DecimalOf(const json::Tree& tree, const json::Node& node, const ColumnType& type,
                                     std::optional<int> scale, bool& is_float);

// An instant, within the years 0000 to 9999:
//
//   io.debezium.time.Date, connect Date                days since 1970
//   io.debezium.time.Timestamp, connect Timestamp      milliseconds
//   io.debezium.time.MicroTimestamp, NanoTimestamp     microseconds, nanoseconds, cut off to microseconds
//   ZonedTimestamp, IsoTimestamp, IsoDate, any text    RFC 3339, or a day; without an offset it is UTC
//
// A number without a schema is told by its size, as units cannot be confused between 1973 and 5138: under 10^6 days, from
// 10^11 milliseconds, from 10^14 microseconds, from 10^17 nanoseconds.
std::optional<UtcTime> TimeOf(const json::Node& node, const ColumnType& type);

// A whole number, as such or as text.
std::optional<int64_t> WholeOf(const json::Node& node);

}  // namespace medallion::ledger::connect
