// Identifying: which fact a normalised event is about, and what is settled and derived together with it.
// Pure. Safe from any thread. Source: the charging domain, sections 3 and 5.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "medallion/base/digest.h"
#include "medallion/base/time.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/options.h"
#include "medallion/silver/element.h"
#include "medallion/silver/identity.h"

namespace medallion::ocpp {

// Whether the event's transaction id may serve as a key. Not -1, 0, nothing, a number outside 32 bit (1.6, or version
// unknown), nor what the host lists: such an event is a fact by itself.
bool HasTransactionId(const ChargingEvent& event, const Options& options);

// Whether a result of 1.6 says that a token was not accepted. Where it answers a start, that start was refused, whether or
// not it was given a transaction id.
bool IsRefusal(const ChargingEvent& result);

// sha256(charge_point|transaction), both in ASCII upper case: the id of the transaction's first session, and the key
// under which its facts are kept together.
Digest SessionId(std::string_view charge_point_id, std::string_view transaction_id);

// sha256(event_type|key fields) of section 3. The reported time stands in a key, not its replacement; where none was
// reported, the event id stands in its place for starts, stops and readings, ingest_ts for the others.
//
//   StartTransaction    charge_point|connector|transaction
//   StopTransaction     charge_point|transaction
//   MeterValues         charge_point|transaction|event_ts|measurand|phase|location|context|reading
//                       (2.x, no reading: charge_point|transaction|event_ts|seq_no)
//   StatusNotification  charge_point|evse|connector|status|event_ts
//   Heartbeat           charge_point|event_ts
//
// Without a transaction id: StartTransaction charge_point|connector|event_ts|meter_wh|id_tag_hash, StopTransaction the
// same, MeterValues evse|connector in place of the transaction. A sample inside a stop without one has neither: in their
// place it has connector|event_ts|meter_wh|id_tag_hash of that stop, which is given for it alone.
Digest KeyOf(const ChargingEvent& event, const Options& options, const ChargingEvent* stop = nullptr);

// The identity of an event read from a payload with this digest. Refers to the event's texts. Starts and stops of one
// transaction share a unit; every other fact is a unit by itself.
Identity Identify(const ChargingEvent& event, const Digest& payload, const Options& options);

// What the event is derived into: its transaction; a start or stop without an id the fact itself; of a reading without
// one sha256(MeterValues|charge_point|evse|connector|event_ts), which those of one instant share; a status its connector
// (see ocpp/connector_status.h); nothing (all zeros) for heartbeats, and for readings on connector 0 or of no place. (The
// samples inside a stop without an id are derived with that stop: an Identifier, which sees both, tells them.)
// `identity` is the event's own.
EntityKey EntityOf(const ChargingEvent& event, const Identity& identity, const Options& options);

// Identifies many events at once, which takes half the time: hashing goes by pairs. Keeps memory only, no content. One
// thread at a time.
class Identifier {
 public:
  // Sets identity, entity and milestone of each element, and its row's business key; where the element is quarantined or
  // ignored its order alone. payloads[i] is the digest of what elements[i] was read from.
  //
  // A call's result that names a usable transaction bears on how the transaction's unit is cut (see ocpp/epochs.h): it is
  // of that unit, though ignored, with the key sha256(CallResult|charge_point|message id|ingest_ts).
  void Identify(std::span<ChargingElement> elements, std::span<const Digest> payloads,
                const Options& options);

 private:
  struct Piece {
    size_t begin = 0, end = 0;
  };
  void JoinKeys(std::span<const ChargingElement> elements, const Options& options);
  void AddSession(const ChargingEvent& event);

  JoinedFields joined_;
  TimeWriter times_;
  std::vector<Piece> pieces_;  // of `joined_`: a text to hash each
  std::vector<std::string_view> texts_;
  std::vector<Digest> digests_;
  std::vector<char> has_id_;  // of the elements
};

}  // namespace medallion::ocpp
