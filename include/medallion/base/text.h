// Small helpers over text that ASCII protocols need.
// Pure: results depend on the arguments alone and refer to them only. Safe from any thread.
#pragma once

#include <string>
#include <string_view>

namespace medallion {

// Without outer blanks (space, tab, CR, LF).
std::string_view Trim(std::string_view text);

// ASCII letters only; other bytes stay.
char AsciiLower(char c);
char AsciiUpper(char c);
std::string AsciiUpper(std::string_view text);
bool EqualsFoldedCase(std::string_view a, std::string_view b);

// Equal once ASCII case, `_`, `-` and spaces are left out: "start_transaction", "StartTransaction".
bool EqualsFoldedName(std::string_view a, std::string_view b);

// Appends `text` as a JSON string with its quotes. Each byte that is not UTF-8 becomes U+FFFD, so the output
// is always valid JSON. Control characters are written \u00XX or by their short escapes; `/`, DEL and all
// beyond ASCII stay as they are. Equal texts give equal bytes.
void AppendJsonString(std::string_view text, std::string& out);

}  // namespace medallion
