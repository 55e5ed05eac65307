// Which texts name an id tag: for forgetting it (see SqliteStore::Forget). Pure. Safe from any thread.
#pragma once

#include <string_view>

namespace medallion::ocpp {

// Whether the tag stands in `text`, in any casing, blanks around it left out. In JSON: as a text of its own, however it is
// escaped, also within a text that is JSON in turn; as a number where its name is one of an id tag. In what is no JSON:
// as a word, next to which there is no letter or digit. A tag of blanks alone stands nowhere.
bool NamesIdTag(std::string_view text, std::string_view tag);

}  // namespace medallion::ocpp
