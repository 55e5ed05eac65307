// Heartbeat: it has no fields, and its time is that of its receipt.
// Source: OCPP 1.6, 6.29; OCPP 2.0.1 part 2, 1.28.1.
#include <array>

#include "frames/messages.h"

namespace medallion::ocpp {
namespace {

constexpr auto kSpecs = std::to_array<FieldSpec>({{"customData"}});

void Add(FrameContext& context) {
  Start start = StartOf(context);
  Draft draft = ReadingOf(start);
  start.row.event_type = EventType::kHeartbeat;
  ReadFrameTime({}, context.options, draft);
  KeepNotes(draft, start);
  AddHeader(start, context);
}

}  // namespace

constinit const Message kHeartbeat{"Heartbeat", kOcppAll, kSpecs, Add};

}  // namespace medallion::ocpp
