#include "tool/ocpp_options.h"

#include <cstdlib>
#include <utility>

#include "medallion/base/arena.h"
#include "medallion/ocpp/json.h"
#include "medallion/ocpp/parse.h"
#include "tool/read_file.h"

namespace medallion::tool {
namespace {

absl::StatusOr<ocpp::Options> ReadConfig(const std::string& path) {
  if (path.empty()) return ocpp::Options();
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  const nlohmann::json config = nlohmann::json::parse(*text, nullptr, false);
  if (!config.is_discarded()) {
    absl::StatusOr<ocpp::Options> options = ocpp::OptionsFromJson(config);
    return options.ok() ? std::move(options) : With(options.status(), path + ": ", "");
  }
  // Our own parser says where.
  Arena texts;
  const ocpp::FlatFields fields = ocpp::FlatParser({}, text->size()).Parse(*text, texts);
  return Wrong(path + ": no valid JSON: " + std::string(fields.corrupt));
}

}  // namespace

absl::StatusOr<ocpp::Options> ReadOcppOptions(const std::string& config, const std::string& id_tag_key_env) {
  absl::StatusOr<ocpp::Options> options = ReadConfig(config);
  if (!options.ok()) return options;
  const std::string variable = id_tag_key_env.empty() ? std::string(kIdTagKeyVariable) : id_tag_key_env;
  const char* key = std::getenv(variable.c_str());
  if (key != nullptr && *key != '\0') {
    options->id_tag_key = key;
  } else if (!id_tag_key_env.empty()) {
    return Wrong("--id-tag-key-env " + variable + ": there is no such environment variable, or it is empty");
  }
  return options;
}

std::string PublicKeyWarning(const ocpp::Options& options) {
  if (options.id_tag_key != ocpp::kPublicIdTagKey) return "";
  return "warning: no key for id tags was given, so they are hashed with a public one and can be guessed: "
         "set " +
         std::string(kIdTagKeyVariable) + "\n";
}

}  // namespace medallion::tool
