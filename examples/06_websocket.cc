// Frames straight from a WebSocket server, as they cross it: each is taken when it comes, and what it changed is shown.
#include <iostream>
#include <string>
#include <string_view>

#include "medallion/io/forwarding_store.h"
#include "medallion/ocpp/run.h"
using namespace medallion;

// Tells which sessions change, and passes everything on.
class Telling final : public ForwardingStore<ocpp::Charging> {
 public:
  using ForwardingStore::ForwardingStore;

  absl::Status Apply(const Batch<ocpp::Charging>& batch) override {
    for (const auto& write : batch.gold) {
      const auto* session = std::get_if<ocpp::ChargingSession>(&write.row);
      if (session != nullptr && write.write != Write::kDelete) Tell(*session);
    }
    return ForwardingStore::Apply(batch);
  }

 private:
  static void Tell(const ocpp::ChargingSession& session) {
    std::string energy;
    AppendCanonical(session.energy_kwh, energy);
    const bool known = !session.transaction_id.empty();
    std::cout << "  transaction " << (known ? session.transaction_id : "unknown") << ": "
              << ocpp::SessionStatusName(session.session_status) << " " << (energy.empty() ? "-" : energy)
              << " kWh" << (session.energy_is_final ? ", final" : "") << "\n";
  }
};

// What a server calls for each message of each connection, and for each of its own answers.
class Receiver {
 public:
  void OnMessage(std::string_view charge_point_id, Direction direction, std::string_view text) {
    std::cout << charge_point_id << (direction == Direction::kIn ? " > " : " < ") << text << "\n";
    const BronzeRecord record{.payload = text,
                              .at = {.topic = "websocket", .partition = 0, .offset = ++messages_},
                              .key = charge_point_id,
                              .ingest_ts = Now(),
                              .direction = direction,
                              .version = "1.6"};
    const absl::Status status = runner_.Take({&record, 1}, "");
    if (!status.ok()) std::cout << status.message() << "\n";
  }

 private:
  // A server asks its clock. Here ten minutes pass from message to message.
  UtcTime Now() const {
    return {ParseTime("2026-03-01T10:00:00Z")->time.us + messages_ * 10 * kMicrosPerMinute};
  }

  int64_t messages_ = 0;
  const ocpp::Options options_{};
  MemoryStore<ocpp::Charging> kept_;
  Telling store_{kept_};
  Runner<ocpp::Charging> runner_{store_, options_};
};

int main() {
  Receiver receiver;
  const auto station = [&](std::string_view text) { receiver.OnMessage("CP-100", Direction::kIn, text); };
  const auto back_end = [&](std::string_view text) { receiver.OnMessage("CP-100", Direction::kOut, text); };

  station(R"([2,"a1","StartTransaction",{"connectorId":1,"idTag":"04AB","meterStart":1000,)"
          R"("timestamp":"2026-03-01T10:10:00Z"}])");
  back_end(R"([3,"a1",{"transactionId":77,"idTagInfo":{"status":"Accepted"}}])");
  station(R"([2,"a2","MeterValues",{"connectorId":1,"transactionId":77,"meterValue":[{"timestamp":)"
          R"("2026-03-01T10:30:00Z","sampledValue":[{"value":"4.2","unit":"kWh"}]}]}])");
  station(R"([2,"a3","StopTransaction",{"transactionId":77,"meterStop":8500,)"
          R"("timestamp":"2026-03-01T10:40:00Z"}])");
  back_end(R"([3,"a3",{}])");
}
