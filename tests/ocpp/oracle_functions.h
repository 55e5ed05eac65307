// Scalar SQL functions for the oracle, where SQL alone is hopeless. Written from the domain page, never from
// the product's sources, so that both are unlikely to share an error.
//
//   sha256(x), hmac_sha256(key, x)   64 lower-case hexadecimal digits
//   joined(a, b, …)                  fields as one text for hashing: null is empty, `\` escapes `\` and `|`
//   payload_fields(x)                JSON list of {name, kind, text, json}, one a field of the flat event;
//                                    null if the payload is corrupt
//   ts_us(x), ts_zone(x)             an instant's UTC microseconds; 1 if its text names an offset
//   rfc3339(us)                      "2026-03-01T10:00:00.000000Z"
//   dec(x, e)                        x times 10^e as plain decimal text; null: no number, or out of bounds
//   milli(x), milli_exact(x)         plain decimal text in thousandths, HALF_UP; 1 if nothing was rounded
//   fixed3(n)                        thousandths as text with three digits
//   digits_text(x), int_token(x)     canonical integer text of "-007"; of a JSON number as 7, 7.0 or 70e-1
//   strip(x)                         without outer blanks
#pragma once

#include <string>

struct sqlite3;

namespace medallion::testing {

void RegisterOracleFunctions(sqlite3* db);

// Lower-case hexadecimal SHA-256; used by the tests of the oracle itself too.
std::string OracleSha256(const std::string& bytes);

// Whether `text` is valid UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
bool OracleIsUtf8(const std::string& text);

}  // namespace medallion::testing
