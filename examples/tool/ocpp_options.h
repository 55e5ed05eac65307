// How charging events are read and judged: --config and the key for id tags.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "medallion/ocpp/options.h"
#include "tool/words.h"

namespace medallion::tool {

inline constexpr std::string_view kIdTagKeyVariable = "MEDALLION_ID_TAG_KEY";

inline constexpr Option kOcppOptions[] = {{"--config", Option::kOne}, {"--id-tag-key-env", Option::kOne}};

// `config` is a file's path, or empty. The key comes from the environment variable, else from the file.
absl::StatusOr<ocpp::Options> ReadOcppOptions(const std::string& config, const std::string& id_tag_key_env);

// A line for people where id tags are hashed with the public key, else empty.
std::string PublicKeyWarning(const ocpp::Options& options);

}  // namespace medallion::tool
