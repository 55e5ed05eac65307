#include "evidence.h"

#include <algorithm>

#include "medallion/base/text.h"

namespace medallion::ledger {
namespace {

constexpr size_t kRunsMax = 256;

void AppendOffsets(std::vector<int64_t>& offsets, std::string& json) {
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  std::string runs = "[";
  size_t count = 0;
  for (size_t begin = 0, end = 0; begin < offsets.size() && count <= kRunsMax; begin = end, ++count) {
    for (end = begin + 1; end < offsets.size() && offsets[end] == offsets[end - 1] + 1;) ++end;
    runs.append(begin == 0 ? "[" : ",[").append(std::to_string(offsets[begin]));
    runs.append(",").append(std::to_string(offsets[end - 1])).append("]");
  }
  if (count <= kRunsMax) {
    json += runs += "]";
    return;
  }
  json.append("{\"first\":").append(std::to_string(offsets.front()));
  json.append(",\"last\":").append(std::to_string(offsets.back()));
  json.append(",\"offsets\":").append(std::to_string(offsets.size())).append("}");
}

}  // namespace

std::string Evidence::Json() {
  std::string json;
  for (auto& [place, offsets] : offsets_) {
    json += json.empty() ? "{" : ",";
    AppendJsonString(std::string(place.first).append("/").append(std::to_string(place.second)), json);
    json += ":";
    AppendOffsets(offsets, json);
  }
  return json.empty() ? json : json += "}";
}

}  // namespace medallion::ledger
