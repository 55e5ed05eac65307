// The bytes that a store keeps of a plain session, so that it can go on without its history.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "medallion/ocpp/options.h"
#include "session_facts.h"
#include "session_state.h"

namespace medallion::ocpp {

struct SessionSummary {
  SessionState state;
  FactOrder last;      // of the fact that sorts last
  uint32_t epoch = 0;  // of the start and the stop
};

// Sets `bytes`, which must not hold the summary's texts. `contexts` is the print of what the session was told, see
// session_links.h.
void PackSummary(const SessionSummary& summary, const SessionRules& rules, uint64_t contexts,
                 std::string& bytes);

// Nothing where the bytes are no summary made by this code under these rules and contexts. Texts refer to `bytes`.
std::optional<SessionSummary> UnpackSummary(std::string_view bytes, const SessionRules& rules,
                                            uint64_t contexts);

}  // namespace medallion::ocpp
