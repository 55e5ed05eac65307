#include "frames/refine_frame.h"

#include <string_view>

#include "frames/messages.h"
#include "medallion/base/text.h"
#include "medallion/ocpp/enums.h"

namespace medallion::ocpp {
namespace {

std::string_view VersionOf(const BronzeRecord& record) {
  const std::string_view version = CanonicalVersion(Trim(record.version));
  return version.empty() ? "1.6" : version;
}

// One element in quarantine for a frame that cannot be read: nothing it says can be trusted.
void AddCorrupt(FrameContext& context) {
  Start start;
  start.row.at = context.record.at;
  start.row.charge_point_id = Trim(context.record.key);
  const UtcTime ingest_ts = context.record.ingest_ts;
  start.row.ingest_ts = ingest_ts != kNoTime ? ingest_ts : context.record.broker_ts;
  start.notes = kNoteCorrupt;
  start.detail = context.frame.corrupt.substr(1, context.frame.corrupt.size() - 2);
  AddHeader(start, context);
}

// The same for a call whose action no version knows.
void AddUnknown(FrameContext& context) {
  Start start = StartOf(context);
  Draft draft = ReadingOf(start);
  AddDetail(draft, "action", context.frame.action);
  start.row.event_ts = start.row.ingest_ts;
  KeepNotes(draft, start);
  AddHeader(start, context);
}

void AddFrame(FrameContext& context) {
  const Frame& frame = context.frame;
  if (!frame.corrupt.empty()) return AddCorrupt(context);
  if (frame.type != FrameType::kCall && frame.type != FrameType::kSend) return AddAnswer(context);
  if (frame.message == nullptr) return AddUnknown(context);
  const bool from_station = context.record.direction == Direction::kIn;
  if (!from_station || frame.message->add == nullptr) return AddIgnoredCall({}, context);
  frame.message->add(context);
}

}  // namespace

void FrameRefiner::Refine(const BronzeRecord& record, Arena& texts, std::vector<ChargingElement>& elements) {
  const Frame& frame = reader_.Read(record.payload, VersionOf(record), texts);
  const bool version2 = frame.message != nullptr && (frame.message->versions & kOcpp16) == 0;
  FrameContext context{frame, record, options_, texts, elements, elements.size(), version2};
  AddFrame(context);
  if (elements[context.begin].standing.fate != Fate::kIgnored) unknown_fields_ += frame.unknown_fields;
}

}  // namespace medallion::ocpp
