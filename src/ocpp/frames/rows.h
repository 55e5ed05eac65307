// From a frame to elements: what all messages have in common.
// Pure. Source: the charging domain, 1.2, 1.3 and 6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conclude.h"
#include "frames/frame.h"
#include "medallion/base/arena.h"
#include "medallion/bronze/record.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/enums.h"
#include "medallion/ocpp/normalize.h"
#include "medallion/ocpp/options.h"
#include "read_values.h"

namespace medallion::ocpp {

// A frame on its way to elements.
struct FrameContext {
  const Frame& frame;
  const BronzeRecord& record;
  const Options& options;
  Arena& texts;
  std::vector<ChargingElement>& elements;  // those of the frame go to the end
  size_t begin;                            // where they do

  bool version2 = false;  // of the message: TransactionEvent is one of 2.x whatever was negotiated
};

// A row that others begin as, and what is wrong with it.
struct Start {
  ChargingEvent row;
  uint32_t notes = 0;
  std::string detail = {};
};

// What every row of the frame begins as: who, when received, under which message id.
Start StartOf(const FrameContext& context);

// Adds an element that begins as `start`, for a draft to be made of it.
ChargingElement& AddElement(const Start& start, FrameContext& context);
Draft DraftOf(const Start& start, ChargingElement& element);

// Adds the row of a start, a stop, a status or a heartbeat, with the message's extra fields. Whether it is sound.
bool AddHeader(const Start& start, FrameContext& context);

// Whether nothing is wrong with what the message's rows share.
bool IsSound(const Start& shared);
// The same of a message without a row of its own. Where something is wrong, one element in quarantine stands for it.
bool MaySplit(const Start& shared, FrameContext& context);

// Adds an ignored element: no charging fact. `detail` is a JSON object or empty.
ChargingElement& AddIgnored(std::string_view detail, FrameContext& context);
void AddIgnoredCall(std::string_view detail, FrameContext& context);
void AddAnswer(FrameContext& context);  // a result or an error

// Reading the fields of messages.
Draft ReadingOf(Start& start);  // what it notes goes back by KeepNotes
void KeepNotes(Draft& draft, Start& start);
// Never a reason to reject: what cannot be an id is kept as it came.
void ReadFrameTransaction(const FieldValue& value, bool version2, Draft& draft, Arena& texts);
void ReadFrameConnector(const FieldValue& value, std::string_view name, bool needed,
                        std::optional<int32_t>& connector, Draft& draft);
// Sets event_ts: a frame may lack its time.
void ReadFrameTime(const FieldValue& value, const Options& options, Draft& draft);
// Noted where it is longer than its version allows, and kept.
void ReadFrameTag(const FieldValue& value, const Options& options, Draft& draft, Arena& texts);
// A member that the negotiated version does not have is noted as unknown.
void ReadFrameEnum(const FieldValue& value, Enumeration enumeration, std::string_view& member, Draft& draft);
void ReadStatus(const FieldValue& value, Draft& draft);

// Adds a row for each of the frame's samples, then one for each sum of phases. `start` is what they share. Returns how many
// of them are sound.
size_t AddSamples(const Start& start, FrameContext& context);
// Adds what is left of a reading that lacks a part that is needed: an element in quarantine.
void AddMissing(const Start& start, std::string_view name, FrameContext& context);
// Adds a row without a reading. Its time is `time`, or where that is none the first instant's.
void AddWithoutReading(const Start& start, const FieldValue& time, FrameContext& context);

// Marks the frame's readings of the register: a start without an id may learn it from them (see gold/resolve.h). Whether
// there are any.
bool MarkRegisters(FrameContext& context);
// Marks the first of the frame's rows that can stand: it tells what they all do.
void MarkFirst(FrameContext& context);

// Puts a JSON object's members before the row's extra fields.
void AddExtraFields(std::string_view extra, ChargingEvent& row, Arena& texts);
// Puts the message's own extra fields on its first row.
void KeepExtraFields(FrameContext& context);

}  // namespace medallion::ocpp
