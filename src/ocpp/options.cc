#include "medallion/ocpp/options.h"

namespace medallion::ocpp {

// Raised with every change of what the rules of deriving say.
constexpr int64_t kModelRevision = 5;

Digest ModelVersion(const Options& options) {
  JoinedFields fields;
  fields.Add("gold_charging_sessions").Add(kModelRevision);
  fields.Add(options.session_timeout_us).Add(options.epoch_gap_us).Add(options.late_us);
  fields.Add(options.power_max_w).Add(options.session_energy_max_wh).Add(options.duration_max_us);
  fields.Add(int64_t{options.meter_intervals});
  for (const auto& [place, power_w] : options.power_max_w_of) {
    fields.Add(place.first).Add(int64_t{place.second}).Add(power_w);
  }
  for (const std::string& id : options.not_an_id) fields.Add(id);
  fields.Add(options.site_zone.name());
  for (const auto& [charge_point, zone] : options.site_zone_of) fields.Add(charge_point).Add(zone.name());
  return fields.Sha256();
}

}  // namespace medallion::ocpp
