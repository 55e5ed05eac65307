// Our tables beside the official JSON schemas, which are not ours to ship. `bash cmake/dev.sh schemas` fetches them to
// build/schemas; MEDALLION_OCPP_SCHEMAS names another folder. Without them there is nothing to compare.

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.h"
#include "frames/messages.h"
#include "medallion/ocpp/enums.h"
#include "nlohmann/json.hpp"

namespace medallion::ocpp {
namespace {

using nlohmann::json;

struct Release {
  std::string version, file;
};
const std::vector<Release> kReleases = {
    {"1.6", "ocpp1_6.json"}, {"2.0.1", "ocpp2_0_1.json"}, {"2.1", "ocpp2_1.json"}};

std::string Folder() {
  const char* given = std::getenv("MEDALLION_OCPP_SCHEMAS");
  return given != nullptr ? given : "build/schemas";
}

// The release's schemas, a list; nothing where they were not fetched.
std::optional<json> SchemasOf(const Release& release) {
  std::ifstream file(Folder() + "/" + release.file);
  if (!file) {
    WARN("skipped: no " << release.file << " in " << Folder() << "; bash cmake/dev.sh schemas fetches it");
    return std::nullopt;
  }
  return json::parse(file);
}

// "StartTransaction" of a call's schema; empty of an answer's.
std::string ActionOf(const json& schema) {
  std::string id = schema.at("$id").get<std::string>().substr(std::string_view("urn:").size());
  for (const std::string end : {".req", "Request"}) {
    if (id.ends_with(end)) return id.substr(0, id.size() - end.size());
  }
  return id.ends_with(".conf") || id.ends_with("Response") ? "" : id;  // one that is sent has no ending
}

const json& Resolved(const json& schema, const json& root) {
  const auto ref = schema.find("$ref");
  if (ref == schema.end()) return schema;
  const std::string name = ref->get<std::string>();
  return root.at("definitions").at(name.substr(name.rfind('/') + 1));
}

// Whether our table takes a value of this schema for what it is.
bool HasShape(const FieldSpec& spec, const std::string& type) {
  switch (spec.shape) {
    case Shape::kText: return type == "string";
    case Shape::kNumber: return type == "integer" || type == "number";
    case Shape::kInteger: return type == "integer";
    case Shape::kBool: return type == "boolean";
    case Shape::kObject: return type == "object";
    case Shape::kInstants:
    case Shape::kSamples: return type == "array";
    default: return true;
  }
}

bool IsMember(Slot slot, const std::string& member, std::string_view version) {
  const auto in = [&](Enumeration enumeration) {
    const EnumMember known = MemberOf(enumeration, member);
    return known.name == member && (known.versions & VersionsOf(version)) != 0;
  };
  switch (slot) {
    case Slot::kMeasurand: return in(Enumeration::kMeasurand);
    case Slot::kPhase: return in(Enumeration::kPhase);
    case Slot::kLocation: return in(Enumeration::kLocation);
    case Slot::kContext: return in(Enumeration::kContext);
    case Slot::kUnit: return in(Enumeration::kUnit);
    case Slot::kReason: return in(Enumeration::kStopReason);
    case Slot::kErrorCode: return in(Enumeration::kErrorCode);
    case Slot::kTriggerReason: return in(Enumeration::kTriggerReason);
    case Slot::kChargingState: return in(Enumeration::kChargingState);
    case Slot::kStatus: return CanonicalStatus(version, member) == member;
    case Slot::kFormat: return member == "Raw" || member == "SignedData";
    case Slot::kEventType: return member == "Started" || member == "Updated" || member == "Ended";
    default: return true;  // kept as it came
  }
}

void CheckFields(std::span<const FieldSpec> specs, const json& object, const json& root,
                 std::string_view version) {
  const json& properties = object.at("properties");
  for (auto property = properties.begin(); property != properties.end(); ++property) {
    const std::string& name = property.key();
    CAPTURE(name);
    const auto spec = std::find_if(specs.begin(), specs.end(),
                                   [&](const FieldSpec& one) { return one.name == name && !one.foreign; });
    REQUIRE(spec != specs.end());
    const json& schema = Resolved(*property, root);
    CHECK(HasShape(*spec, schema.at("type")));
    for (const json& member : schema.value("enum", json::array())) {
      CAPTURE(member);
      CHECK(IsMember(spec->slot, member, version));
    }
    if (spec->children.empty()) continue;
    const json& child = schema.at("type") == "array" ? Resolved(schema.at("items"), root) : schema;
    CheckFields(spec->children, child, root, version);
  }
}

}  // namespace

TEST_CASE("frame schemas: every field and member of a message with rows is known") {
  for (const Release& release : kReleases) {
    const std::optional<json> schemas = SchemasOf(release);
    if (!schemas) return;
    size_t looked_at = 0;
    for (const json& schema : *schemas) {
      const std::string action = ActionOf(schema);
      bool folded = false;
      const Message* message = action.empty() ? nullptr : FindMessage(action, release.version, folded);
      if (message == nullptr || message->fields.empty()) continue;
      CAPTURE(release.version, action);
      CheckFields(message->fields, schema, schema, release.version);
      ++looked_at;
    }
    CHECK(looked_at == (release.version == "1.6" ? 6 : 5));
  }
}

TEST_CASE("frame schemas: each version's actions are those of the table") {
  for (const Release& release : kReleases) {
    const std::optional<json> schemas = SchemasOf(release);
    if (!schemas) return;
    std::vector<std::string> official, ours;
    for (const json& schema : *schemas) {
      if (const std::string action = ActionOf(schema); !action.empty()) official.push_back(action);
    }
    for (const Message* message : AllMessages()) {
      if ((message->versions & VersionsOf(release.version)) != 0) ours.emplace_back(message->action);
    }
    std::sort(official.begin(), official.end());
    std::sort(ours.begin(), ours.end());
    CAPTURE(release.version);
    CHECK(ours == official);
  }
}

}  // namespace medallion::ocpp
