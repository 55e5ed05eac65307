// A Gold row as a store gives it back.
#pragma once

#include "catch.h"
#include "medallion/base/arena.h"
#include "medallion/base/pack.h"
#include "medallion/io/gold_codec.h"
#include "medallion/ocpp/charging.h"

namespace medallion::ocpp {

template <class Row>
Row Repacked(const Row& row) {
  const Charging::Gold gold = row;
  const RowVersion version = Charging::VersionOf(gold);
  PackWriter writer;
  PackGold(version, gold, writer);
  Arena texts;
  PackReader head(writer.bytes(), texts), reader(writer.bytes(), texts);
  uint8_t table = 0;
  CHECK(UnpackVersion<Charging::Gold>(head, version.key, table) == version);
  CHECK(table == GoldTableOf(gold));
  Charging::Gold back;
  UnpackGold(reader, version.key, back);
  CHECK((reader.ok() && reader.at_end()));
  return std::get<Row>(back);
}

}  // namespace medallion::ocpp
