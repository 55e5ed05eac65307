#include "medallion/silver/tables.h"

namespace medallion {

Digest QuarantineId(const ElementId& id) {
  const auto& [at, payload] = id.record;
  JoinedFields fields;
  fields.Add(at.topic).Add(int64_t{at.partition}).Add(at.offset).Add(int64_t{id.ordinal}).Add(Hex(payload));
  return fields.Sha256();
}

}  // namespace medallion
