#include "ocpp/oracle_functions.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace medallion::testing {
namespace {

using Arguments = sqlite3_value**;

std::string BytesOf(sqlite3_value* value) {
  const void* bytes = sqlite3_value_blob(value);  // text too: its bytes as they are
  const int size = sqlite3_value_bytes(value);
  return bytes == nullptr ? std::string()
                          : std::string(static_cast<const char*>(bytes), static_cast<size_t>(size));
}

void ResultText(sqlite3_context* context, const std::string& text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void ResultText(sqlite3_context* context, const std::optional<std::string>& text) {
  if (text.has_value()) {
    ResultText(context, *text);
  } else {
    sqlite3_result_null(context);
  }
}

bool IsNull(sqlite3_value* value) { return sqlite3_value_type(value) == SQLITE_NULL; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string Strip(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::string ToHex(const unsigned char* bytes, unsigned size) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    hex.push_back(kDigits[bytes[i] >> 4]);
    hex.push_back(kDigits[bytes[i] & 15]);
  }
  return hex;
}

std::string HmacSha256Hex(const std::string& key, const std::string& bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), out.data(), &size);
  return ToHex(out.data(), size);
}

// ---- JSON: a strict reader of one flat event ----

// Bytes of the UTF-8 sequence that starts at text[at], 0 if there is none.
size_t SequenceLength(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const size_t left = text.size() - at;
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || left < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (first == 0xE0 && byte(1) < 0xA0) return 0;  // overlong
  if (first == 0xED && byte(1) > 0x9F) return 0;  // surrogates
  if (first == 0xF0 && byte(1) < 0x90) return 0;  // overlong
  if (first == 0xF4 && byte(1) > 0x8F) return 0;  // above U+10FFFF
  return length;
}

void AppendUtf8(uint32_t code, std::string& out) {
  const auto put = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6), put(0x80 | (code & 63));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 63)), put(0x80 | (code & 63));
  } else {
    put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 63)), put(0x80 | (code >> 6 & 63)),
        put(0x80 | (code & 63));
  }
}

struct Field {
  std::string name;
  std::string kind;  // string, number, true, false, null, object, array
  std::string text;  // of a string its content, of a number its token
  std::string json;  // the value as it was written
};

constexpr int kDepthMax = 64;
constexpr size_t kPayloadMax = size_t{1} << 20;

class StrictReader {
 public:
  explicit StrictReader(std::string_view text) : text_(text) {}

  // The fields of the one object that the text is; nothing, if it is anything else.
  std::optional<std::vector<Field>> ReadObject() {
    SkipBlanks();
    std::vector<Field> fields;
    if (!Peek('{') || !Object(1, &fields)) return std::nullopt;
    SkipBlanks();
    if (at_ != text_.size()) return std::nullopt;
    return fields;
  }

 private:
  bool Peek(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool Take(char c) { return Peek(c) && (++at_, true); }
  bool TakeWord(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void SkipBlanks() {
    while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
  }

  bool Object(int depth, std::vector<Field>* fields) {
    if (depth > kDepthMax || !Take('{')) return false;
    SkipBlanks();
    if (Take('}')) return true;
    do {
      Field field;
      SkipBlanks();
      if (!String(field.name)) return false;
      SkipBlanks();
      if (!Take(':') || !Value(depth, field)) return false;
      if (fields != nullptr) fields->push_back(std::move(field));
      SkipBlanks();
    } while (Take(','));
    return Take('}');
  }

  bool Array(int depth) {
    if (depth > kDepthMax || !Take('[')) return false;
    SkipBlanks();
    if (Take(']')) return true;
    do {
      Field element;
      if (!Value(depth, element)) return false;
      SkipBlanks();
    } while (Take(','));
    return Take(']');
  }

  bool Value(int depth, Field& field) {
    SkipBlanks();
    const size_t begin = at_;
    if (!ValueOfKind(depth, field)) return false;
    field.json = std::string(text_.substr(begin, at_ - begin));
    if (field.kind == "number") field.text = field.json;
    return true;
  }

  bool ValueOfKind(int depth, Field& field) {
    if (Peek('{')) return field.kind = "object", Object(depth + 1, nullptr);
    if (Peek('[')) return field.kind = "array", Array(depth + 1);
    if (Peek('"')) return field.kind = "string", StringValue(field.text);
    for (const char* word : {"true", "false", "null"}) {
      if (TakeWord(word)) return field.kind = word, true;
    }
    return field.kind = "number", Number();
  }

  bool Digits() {
    const size_t begin = at_;
    while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
    return at_ != begin;
  }

  bool Number() {
    Take('-');
    if (!Take('0') && !Digits()) return false;
    if (at_ > 0 && text_[at_ - 1] == '0' && at_ < text_.size() && IsDigit(text_[at_])) return false;  // 01
    if (Take('.') && !Digits()) return false;
    if (!Take('e') && !Take('E')) return true;
    if (!Take('+')) Take('-');
    return Digits();
  }

  // A text value: escaped NULs at its end are dropped.
  bool StringValue(std::string& out) {
    if (!String(out)) return false;
    while (!out.empty() && out.back() == '\0') out.pop_back();
    return true;
  }

  bool String(std::string& out) {
    if (!Take('"')) return false;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (static_cast<unsigned char>(text_[at_]) < 0x20) return false;
      if (text_[at_] == '\\') {
        if (!Escape(out)) return false;
        continue;
      }
      const size_t length = SequenceLength(text_, at_);
      if (length == 0) return false;
      out.append(text_.substr(at_, length));
      at_ += length;
    }
    return Take('"');
  }

  std::optional<uint32_t> Hex4() {
    uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      if (at_ >= text_.size()) return std::nullopt;
      const size_t digit = std::string_view("0123456789abcdefABCDEF").find(text_[at_]);
      if (digit == std::string_view::npos) return std::nullopt;
      code = code * 16 + static_cast<uint32_t>(digit < 16 ? digit : digit - 6);
    }
    return code;
  }

  bool Escape(std::string& out) {
    static constexpr std::string_view kFrom = "\"\\/bfnrt";
    static constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
    if (++at_ >= text_.size()) return false;
    const char c = text_[at_++];
    if (const size_t i = kFrom.find(c); i != std::string_view::npos) return out.push_back(kTo[i]), true;
    if (c != 'u') return false;
    std::optional<uint32_t> code = Hex4();
    if (!code.has_value() || (*code >= 0xDC00 && *code <= 0xDFFF)) return false;
    if (*code >= 0xD800 && *code <= 0xDBFF) {
      if (!Take('\\') || !Take('u')) return false;
      const std::optional<uint32_t> low = Hex4();
      if (!low.has_value() || *low < 0xDC00 || *low > 0xDFFF) return false;
      code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
    }
    return AppendUtf8(*code, out), true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

std::optional<std::string> PayloadFields(std::string_view payload) {
  if (payload.size() > kPayloadMax) return std::nullopt;
  if (payload.starts_with("\xEF\xBB\xBF")) payload.remove_prefix(3);
  while (!payload.empty() && (payload.back() == '\0' || IsBlank(payload.back()))) payload.remove_suffix(1);
  const std::optional<std::vector<Field>> fields = StrictReader(payload).ReadObject();
  if (!fields.has_value()) return std::nullopt;
  nlohmann::json list = nlohmann::json::array();
  for (const Field& field : *fields) {
    list.push_back({{"name", field.name}, {"kind", field.kind}, {"text", field.text}, {"json", field.json}});
  }
  return list.dump();
}

// ---- Time ----

struct Instant {
  int64_t us = 0;
  bool zone = false;
};

int64_t DaysFromCivil(int64_t year, int64_t month,
                      int64_t day) {  // days since 1970-01-01, proleptic Gregorian
  const int64_t y = month <= 2 ? year - 1 : year;
  const int64_t era = (y >= 0 ? y : y - 399) / 400;
  const int64_t of_era = y - era * 400;
  const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

class TimeReader {
 public:
  explicit TimeReader(const std::string& text) : text_(text) {}

  std::optional<Instant> Read() {
    const int64_t year = Number(4), month = Part("-"), day = Part("-");
    const int64_t hour = Part("Tt "), minute = Part(":");
    int64_t second = Part(":");
    int64_t fraction = Fraction();
    Instant instant;
    const int64_t offset = Offset(instant.zone);
    if (bad_ || at_ != text_.size()) return std::nullopt;
    if (month < 1 || month > 12 || day < 1 || day > DaysOf(year, month)) return std::nullopt;
    if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
    if (second == 60) second = 59, fraction = 999999;
    const int64_t minutes = DaysFromCivil(year, month, day) * 1440 + hour * 60 + minute - offset;
    instant.us = (minutes * 60 + second) * 1'000'000 + fraction;
    return instant;
  }

 private:
  static int64_t DaysOf(int64_t year, int64_t month) {
    static constexpr std::array<int64_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : kDays[static_cast<size_t>(month - 1)];
  }
  bool Take(std::string_view any) {
    if (at_ >= text_.size() || any.find(text_[at_]) == std::string_view::npos) return false;
    return ++at_, true;
  }
  int64_t Number(int digits) {
    int64_t number = 0;
    for (int i = 0; i < digits && !bad_; ++i) {
      bad_ = at_ >= text_.size() || !IsDigit(text_[at_]);
      if (!bad_) number = number * 10 + (text_[at_++] - '0');
    }
    return number;
  }
  int64_t Part(std::string_view separator) {  // two digits after it
    bad_ = bad_ || !Take(separator);
    return Number(2);
  }
  int64_t Fraction() {  // microseconds, further digits cut off
    if (!Take(".")) return 0;
    int64_t us = 0, scale = 100'000;
    const size_t begin = at_;
    for (; at_ < text_.size() && IsDigit(text_[at_]); ++at_, scale /= 10) us += (text_[at_] - '0') * scale;
    bad_ = bad_ || at_ == begin;
    return us;
  }
  int64_t Offset(bool& zone) {  // minutes east of UTC
    zone = at_ < text_.size();
    if (!zone || Take("Zz")) return 0;
    const bool west = Take("-");
    bad_ = bad_ || (!west && !Take("+"));
    const int64_t hours = Number(2);
    int64_t minutes = 0;
    if (at_ < text_.size()) Take(":"), minutes = Number(2);
    bad_ = bad_ || hours > 23 || minutes > 59;
    return (west ? -1 : 1) * (hours * 60 + minutes);
  }

  const std::string& text_;
  size_t at_ = 0;
  bool bad_ = false;
};

std::string Rfc3339(int64_t us) {
  int64_t seconds = us / 1'000'000, fraction = us % 1'000'000;
  if (fraction < 0) seconds -= 1, fraction += 1'000'000;
  int64_t days = seconds / 86400, rest = seconds % 86400;
  if (rest < 0) days -= 1, rest += 86400;
  int64_t year = 1970 + days / 366;  // at or before the right one for days >= 0
  if (days < 0) year = 1970 + days / 365 - 1;
  while (DaysFromCivil(year + 1, 1, 1) <= days) ++year;
  int64_t month = 1;
  while (month < 12 && DaysFromCivil(year, month + 1, 1) <= days) ++month;
  const int64_t day = days - DaysFromCivil(year, month, 1) + 1;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", static_cast<int>(year),
                static_cast<int>(month), static_cast<int>(day), static_cast<int>(rest / 3600),
                static_cast<int>(rest / 60 % 60), static_cast<int>(rest % 60), static_cast<int>(fraction));
  return text.data();
}

// ---- Decimals, as text ----

// `text` times 10^exponent as plain decimal text without needless zeros. Nothing, if it is no number, or has
// more than 15 digits before or 30 after the point.
std::optional<std::string> PlainDecimal(const std::string& text, int64_t exponent) {
  size_t at = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) ++at;
  std::string digits;
  int64_t point = -1;  // digits before the point
  for (; at < text.size() && (IsDigit(text[at]) || text[at] == '.'); ++at) {
    if (text[at] != '.') {
      digits.push_back(text[at]);
    } else if (point >= 0) {
      return std::nullopt;
    } else {
      point = static_cast<int64_t>(digits.size());
    }
  }
  if (digits.empty()) return std::nullopt;
  if (point < 0) point = static_cast<int64_t>(digits.size());
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const size_t sign = at + 1 < text.size() && (text[at + 1] == '+' || text[at + 1] == '-') ? 1 : 0;
    const std::string power = text.substr(at + 1 + sign);
    if (power.empty() || !std::all_of(power.begin(), power.end(), IsDigit)) return std::nullopt;
    const int64_t size = power.size() > 6 ? 1'000'000 : std::strtoll(power.c_str(), nullptr, 10);
    point += text[at + 1] == '-' ? -size : size;
    at = text.size();
  }
  if (at != text.size()) return std::nullopt;
  point += exponent;
  const size_t lead = std::min(digits.find_first_not_of('0'), digits.size());
  digits.erase(0, lead);
  point -= static_cast<int64_t>(lead);
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  if (digits.empty()) return "0";
  const int64_t count = static_cast<int64_t>(digits.size());
  if (point > 15 || count - point > 30) return std::nullopt;
  std::string plain = negative ? "-" : "";
  if (point <= 0) return plain + "0." + std::string(static_cast<size_t>(-point), '0') + digits;
  if (count <= point) return plain + digits + std::string(static_cast<size_t>(point - count), '0');
  return plain + digits.substr(0, static_cast<size_t>(point)) + "." +
         digits.substr(static_cast<size_t>(point));
}

int64_t Milli(const std::string& plain) {  // HALF_UP, away from zero
  const bool negative = plain[0] == '-';
  const std::string magnitude = plain.substr(negative ? 1 : 0);
  const size_t point = std::min(magnitude.find('.'), magnitude.size());
  std::string fraction = point < magnitude.size() ? magnitude.substr(point + 1) : "";
  const bool up = fraction.size() > 3 && fraction[3] >= '5';
  fraction.resize(3, '0');
  const int64_t units =
      std::strtoll((magnitude.substr(0, point) + fraction).c_str(), nullptr, 10) + (up ? 1 : 0);
  return negative ? -units : units;
}

bool MilliExact(const std::string& plain) {
  const size_t point = plain.find('.');
  return point == std::string::npos || plain.size() - point - 1 <= 3;
}

std::string Fixed3(int64_t units) {
  const uint64_t size = units < 0 ? ~static_cast<uint64_t>(units) + 1 : static_cast<uint64_t>(units);
  const std::string fraction = std::to_string(size % 1000);
  return (units < 0 ? "-" : "") + std::to_string(size / 1000) + "." + std::string(3 - fraction.size(), '0') +
         fraction;
}

std::optional<std::string> DigitsText(const std::string& text) {
  const bool negative = !text.empty() && text[0] == '-';
  std::string digits = text.substr(negative ? 1 : 0);
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), IsDigit)) return std::nullopt;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return negative && digits != "0" ? "-" + digits : digits;
}

std::optional<std::string> IntToken(const std::string& token) {
  if (std::optional<std::string> digits = DigitsText(token)) return digits;
  std::optional<std::string> plain = PlainDecimal(token, 0);
  if (!plain || plain->find('.') != std::string::npos) return std::nullopt;
  return plain;
}

std::string Joined(int count, Arguments arguments) {
  std::string joined;
  for (int i = 0; i < count; ++i) {
    if (i > 0) joined.push_back('|');
    if (IsNull(arguments[i])) continue;
    for (const char c : BytesOf(arguments[i])) {
      if (c == '\\' || c == '|') joined.push_back('\\');
      joined.push_back(c);
    }
  }
  return joined;
}

// ---- Registration: one lambda a function ----

using Function = void (*)(sqlite3_context*, int, Arguments);

struct Registered {
  const char* name;
  int arguments;
  Function function;
};

// A function of one text whose answer for null is null.
template <auto kFunction>
void OfText(sqlite3_context* context, int, Arguments arguments) {
  if (IsNull(arguments[0])) return sqlite3_result_null(context);
  ResultText(context, kFunction(BytesOf(arguments[0])));
}

void Hmac(sqlite3_context* context, int, Arguments arguments) {
  if (IsNull(arguments[1])) return sqlite3_result_null(context);
  ResultText(context, HmacSha256Hex(BytesOf(arguments[0]), BytesOf(arguments[1])));
}

void TsUs(sqlite3_context* context, int, Arguments arguments) {
  const std::string text = Strip(BytesOf(arguments[0]));
  const std::optional<Instant> instant = TimeReader(text).Read();
  if (!instant) return sqlite3_result_null(context);
  sqlite3_result_int64(context, instant->us);
}

void TsZone(sqlite3_context* context, int, Arguments arguments) {
  const std::string text = Strip(BytesOf(arguments[0]));
  const std::optional<Instant> instant = TimeReader(text).Read();
  sqlite3_result_int(context, instant && instant->zone ? 1 : 0);
}

void ToRfc3339(sqlite3_context* context, int, Arguments arguments) {
  if (IsNull(arguments[0])) return sqlite3_result_null(context);
  ResultText(context, Rfc3339(sqlite3_value_int64(arguments[0])));
}

void Dec(sqlite3_context* context, int, Arguments arguments) {
  if (IsNull(arguments[0])) return sqlite3_result_null(context);
  ResultText(context, PlainDecimal(Strip(BytesOf(arguments[0])), sqlite3_value_int64(arguments[1])));
}

void ToMilli(sqlite3_context* context, int, Arguments arguments) {
  if (IsNull(arguments[0])) return sqlite3_result_null(context);
  sqlite3_result_int64(context, Milli(BytesOf(arguments[0])));
}

void IsMilliExact(sqlite3_context* context, int, Arguments arguments) {
  sqlite3_result_int(context, IsNull(arguments[0]) || MilliExact(BytesOf(arguments[0])) ? 1 : 0);
}

void ToFixed3(sqlite3_context* context, int, Arguments arguments) {
  if (IsNull(arguments[0])) return sqlite3_result_null(context);
  ResultText(context, Fixed3(sqlite3_value_int64(arguments[0])));
}

void ToJoined(sqlite3_context* context, int count, Arguments arguments) {
  ResultText(context, Joined(count, arguments));
}

}  // namespace

std::string OracleSha256(const std::string& bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), out.data(), &size, EVP_sha256(), nullptr);
  return ToHex(out.data(), size);
}

bool OracleIsUtf8(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = SequenceLength(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

void RegisterOracleFunctions(sqlite3* db) {
  static constexpr Registered kFunctions[] = {
      {"sha256", 1, OfText<OracleSha256>},
      {"hmac_sha256", 2, Hmac},
      {"joined", -1, ToJoined},
      {"payload_fields", 1, OfText<PayloadFields>},
      {"ts_us", 1, TsUs},
      {"ts_zone", 1, TsZone},
      {"rfc3339", 1, ToRfc3339},
      {"dec", 2, Dec},
      {"milli", 1, ToMilli},
      {"milli_exact", 1, IsMilliExact},
      {"fixed3", 1, ToFixed3},
      {"digits_text", 1, OfText<DigitsText>},
      {"int_token", 1, OfText<IntToken>},
      {"strip", 1, OfText<Strip>},
  };
  for (const Registered& f : kFunctions) {
    sqlite3_create_function_v2(db, f.name, f.arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                               f.function, nullptr, nullptr, nullptr);
  }
}

}  // namespace medallion::testing
