// Samples: a row for each sampledValue, and one for each sum of three phases.
// Source: the charging domain, 1.3.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "frames/rows.h"
#include "medallion/base/decimal.h"
#include "medallion/base/text.h"

namespace medallion::ocpp {
namespace {

bool IsSigned(const FrameFields& sample, Draft& draft) {
  const FieldValue& format = sample[Slot::kFormat];
  if (!IsPresent(format)) return false;
  const std::string_view text = Trim(format.text);
  if (EqualsFoldedCase(text, "SignedData")) return true;
  if (!EqualsFoldedCase(text, "Raw")) {
    draft.event.flags |= kUnknownEnum;
    AddDetail(draft, "format", text);
  }
  return false;
}

// The power of ten that a value of 2.x is in; nothing where it is none.
std::optional<int> MultiplierOf(const FrameFields& sample, Draft& draft) {
  constexpr int64_t kMax = 1000;  // far beyond what a decimal holds
  const FieldValue& given = sample[Slot::kMultiplier];
  if (!IsPresent(given)) return 0;
  const std::optional<int64_t> multiplier = Integer(given, draft);
  if (!multiplier || *multiplier > kMax || *multiplier < -kMax) return std::nullopt;
  return static_cast<int>(*multiplier);
}

// The sample's value, scaled; false where it cannot be.
bool Scaled(const FrameFields& sample, Draft& draft, Arena& texts, FieldValue& value) {
  value = sample[Slot::kValue];
  if (value.kind == JsonKind::kText) value.text = WithoutNuls(value.text);
  const std::optional<int> multiplier = MultiplierOf(sample, draft);
  if (multiplier == 0) return true;
  const bool scalar = value.kind == JsonKind::kText || value.kind == JsonKind::kNumber;
  const auto scaled = multiplier && scalar ? Decimal::Parse(Trim(value.text), *multiplier) : std::nullopt;
  if (!scaled) return AddDetail(draft, "multiplier", sample[Slot::kMultiplier].text), false;
  std::string text;
  scaled->AppendTo(text);
  value.text = texts.Copy(text);
  return true;
}

// The unit's canonical spelling; an unknown one as it came.
std::string_view UnitOf(const FrameFields& sample, Draft& draft) {
  const FieldValue& given = sample[Slot::kUnit];
  if (!IsPresent(given)) return {};
  if (given.kind == JsonKind::kContainer) return given.text;
  const std::string_view text = Text(given, draft), canonical = Canonical(Enumeration::kUnit, text);
  if (canonical.empty()) return text;
  if (canonical != text) draft.event.flags |= kUnitFolded;
  return canonical;
}

void ReadFrameSample(const FrameFields& sample, Draft& draft, Arena& texts) {
  ChargingEvent& event = draft.event;
  ReadFrameEnum(sample[Slot::kMeasurand], Enumeration::kMeasurand, event.measurand, draft);
  ReadFrameEnum(sample[Slot::kPhase], Enumeration::kPhase, event.phase, draft);
  ReadFrameEnum(sample[Slot::kLocation], Enumeration::kLocation, event.location, draft);
  ReadFrameEnum(sample[Slot::kContext], Enumeration::kContext, event.context, draft);
  const std::string_view unit = UnitOf(sample, draft);
  event.signed_value = sample[Slot::kSigned].text;
  FieldValue value;
  const bool is_signed = IsSigned(sample, draft);
  if (is_signed) event.signed_value = sample[Slot::kValue].text;
  if (is_signed || !sample.Has(Slot::kValue)) {
    ReadSample({nullptr, unit}, draft);  // the defaults
    if (!event.signed_value.empty()) draft.notes &= ~uint32_t{kNoteMeterAbsent}, event.unit = unit;
    return;
  }
  const bool scaled = Scaled(sample, draft, texts, value);
  ReadSample({&value, unit}, draft);
  if (!scaled) draft.notes |= kNoteMeterInvalid, event.meter_wh.reset();
}

// Takes note of what the sample, or its instant, has beside its values.
void ReadShape(const FrameFields& fields, Draft& draft) {
  if (fields.coerced) draft.event.flags |= kTypeCoerced;
  if (fields.reshaped) draft.event.flags |= kShapeCoerced;
  if (fields.ambiguous.empty()) return;
  draft.notes |= kNoteAmbiguous;
  AddDetail(draft, "ambiguous", fields.ambiguous);
}

bool IsSilver(const ChargingElement& element) { return element.standing.fate == Fate::kSilver; }

void AddSample(const Start& timed, const FrameFields& sample, FrameContext& context) {
  if (!sample.is_object) return AddMissing(timed, "value", context);
  ChargingElement& element = AddElement(timed, context);
  Draft draft = DraftOf(timed, element);
  ReadShape(sample, draft);
  ReadFrameSample(sample, draft, context.texts);
  element.row.extra_fields = sample.extra_fields;
  Conclude(draft, context.options, context.texts, element);
}

void AddInstant(const Start& start, const FrameFields& instant, FrameContext& context) {
  if (!instant.is_object) return AddMissing(start, "sampledValue", context);
  Start timed = start;
  Draft draft = ReadingOf(timed);
  ReadShape(instant, draft);
  ReadFrameTime(instant[Slot::kTimestamp], context.options, draft);
  if (timed.row.message_ts == timed.row.event_ts) timed.row.message_ts = kNoTime;
  KeepNotes(draft, timed);
  const size_t first = context.elements.size();
  if (!instant.listed) AddMissing(timed, "sampledValue", context);
  for (const FrameFields& sample : context.frame.SamplesOf(instant)) AddSample(timed, sample, context);
  if (instant.extra_fields.empty() || first == context.elements.size()) return;
  AddExtraFields(instant.extra_fields, context.elements[first].row, context.texts);
}

// ---- readings of one key ------------------------------------------------------------------------------------

// What tells readings of one message apart, save their number.
auto KeyOf(const ChargingEvent& row) {
  const UtcTime time = row.reported_ts != kNoTime ? row.reported_ts : row.event_ts;
  return std::tuple((row.flags & kTsFromIngest) != 0, time, row.measurand, row.phase, row.location,
                    row.context);
}

// Numbers those of equal key in their order, whatever is wrong with them: one that is repaired keeps its number.
void NumberReadings(std::span<ChargingElement> elements) {
  if (elements.size() < 2) return;
  std::vector<ChargingElement*> by_key;
  for (ChargingElement& element : elements) {
    if (!element.row.measurand.empty()) by_key.push_back(&element);
  }
  std::sort(by_key.begin(), by_key.end(), [](const ChargingElement* a, const ChargingElement* b) {
    return std::pair(KeyOf(a->row), a) < std::pair(KeyOf(b->row), b);
  });
  for (size_t i = 1; i < by_key.size(); ++i) {
    const ChargingEvent& before = by_key[i - 1]->row;
    ChargingEvent& row = by_key[i]->row;
    if (KeyOf(before) == KeyOf(row)) row.reading = before.reading + 1;
  }
}

// ---- sums of phases -----------------------------------------------------------------------------------------

// The registers of the phases at one instant and place: of L1, L2, L3, then of L1-N, L2-N, L3-N.
struct Phases {
  std::array<std::optional<size_t>, 6> elements;
  bool has_total = false;
};

// By time, place, context, and number among equal ones.
using PhaseKey = std::tuple<bool, UtcTime, std::string_view, std::string_view, uint32_t>;
using PhaseSets = std::map<PhaseKey, Phases>;

PhaseSets PhaseSetsOf(std::span<const ChargingElement> elements, size_t first) {
  static constexpr std::array<std::string_view, 6> kPhases = {"L1", "L2", "L3", "L1-N", "L2-N", "L3-N"};
  PhaseSets sets;
  for (size_t i = first; i < elements.size(); ++i) {
    const ChargingEvent& row = elements[i].row;
    if (!IsSilver(elements[i]) || row.measurand != kEnergyRegister || row.value.empty()) continue;
    const auto [untimed, time, measurand, phase, location, context] = KeyOf(row);
    Phases& set = sets[{untimed, time, location, context, row.reading}];
    if (phase.empty()) set.has_total = true;
    const auto* const found = std::find(kPhases.begin(), kPhases.end(), phase);
    if (found != kPhases.end()) set.elements[static_cast<size_t>(found - kPhases.begin())] = i;
  }
  return sets;
}

// The sum of three registers in Wh; nothing where one is missing, or where it is too large.
std::optional<Decimal> SumOf(std::span<const std::optional<size_t>> set, const FrameContext& context) {
  std::optional<Decimal> sum = Decimal();
  for (const std::optional<size_t>& i : set) {
    if (!i || !sum) return std::nullopt;
    const ChargingEvent& row = context.elements[*i].row;
    const auto wh = Decimal::Parse(row.value, ScaleOf(row.unit).exponent10);
    sum = wh ? Decimal::Sum(*sum, *wh) : std::nullopt;
  }
  return sum;
}

void AddSum(std::span<const std::optional<size_t>> set, const Start& start, FrameContext& context) {
  const std::optional<Decimal> sum = SumOf(set, context);
  const std::optional<int64_t> wh = sum ? sum->Rounded(3) : std::nullopt;
  if (!wh) return;
  ChargingElement& element = AddElement(start, context);
  ChargingEvent& row = element.row;
  const ChargingEvent& first = context.elements[set[0].value()].row;
  std::tie(row.event_ts, row.reported_ts, row.message_ts) =
      std::tie(first.event_ts, first.reported_ts, first.message_ts);
  std::tie(row.measurand, row.location, row.context) =
      std::tie(first.measurand, first.location, first.context);
  row.reading = first.reading;
  row.flags = kPhaseSum | (sum->IsWhole(3) ? 0u : uint32_t{kPrecisionLost});
  for (const std::optional<size_t>& i : set) row.flags |= context.elements[i.value()].row.flags;
  std::string text;
  sum->AppendTo(text);
  row.value = context.texts.Copy(text);
  row.unit = "Wh";
  row.meter_wh = Thousandths{*wh};
  Draft draft = DraftOf(start, element);
  Conclude(draft, context.options, context.texts, element);
}

// A total that was sent makes a sum needless.
void AddSums(const Start& start, size_t first, FrameContext& context) {
  const auto samples = std::span(context.elements).subspan(first);
  if (std::none_of(samples.begin(), samples.end(),
                   [](const ChargingElement& element) { return !element.row.phase.empty(); })) {
    return;
  }
  const PhaseSets sets = PhaseSetsOf(context.elements, first);
  for (const auto& entry : sets) {
    const Phases& set = entry.second;
    const auto lines = std::span(set.elements).first(3), neutral = std::span(set.elements).last(3);
    const std::string_view location = std::get<2>(entry.first);
    const bool at_station = location == "Outlet" || location == "Cable" || location == "Body";
    if (set.has_total || !at_station) continue;
    AddSum(SumOf(lines, context) ? lines : neutral, start, context);
  }
}

}  // namespace

void AddMissing(const Start& start, std::string_view name, FrameContext& context) {
  ChargingElement& element = AddElement(start, context);
  Draft draft = DraftOf(start, element);
  if (element.row.event_ts == kNoTime) element.row.event_ts = element.row.ingest_ts;
  draft.notes |= kNoteMeterAbsent;
  AddDetail(draft, "missing", name);
  Conclude(draft, context.options, context.texts, element);
}

size_t AddSamples(const Start& start, FrameContext& context) {
  const Frame& frame = context.frame;
  const size_t first = context.elements.size();
  if (!frame.header.problem.empty()) AddMissing(start, frame.header.problem, context);
  for (const FrameFields& instant : frame.instants.All()) AddInstant(start, instant, context);
  NumberReadings(std::span(context.elements).subspan(first));
  AddSums(start, first, context);
  const auto added = std::span(context.elements).subspan(first);
  return static_cast<size_t>(std::count_if(added.begin(), added.end(), IsSilver));
}

}  // namespace medallion::ocpp
