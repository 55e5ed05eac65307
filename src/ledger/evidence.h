// Where the facts of a derived row came from, as JSON. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "medallion/bronze/record.h"

namespace medallion::ledger {

// {"topic/partition":[[first,last],…]}: runs of offsets that follow each other. Of a partition with very many runs only
// the first and the last offset and their number are told: {"topic/0":{"first":1,"last":90000,"offsets":41000}}.
class Evidence {
 public:
  void Add(const Coordinate& at) { offsets_[{at.topic, at.partition}].push_back(at.offset); }
  std::string Json();

 private:
  std::map<std::pair<std::string_view, int32_t>, std::vector<int64_t>> offsets_;
};

}  // namespace medallion::ledger
