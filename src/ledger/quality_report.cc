#include "medallion/ledger/quality_report.h"

#include <algorithm>
#include <vector>

#include "base/json_tree.h"
#include "connect_values.h"
#include "medallion/ledger/account_balance.h"

namespace medallion::ledger {
namespace {

using json::Kind;
using json::Node;
using json::Tree;

template <class Use>
void EachText(const Tree& tree, std::string_view column, const Use& use) {
  const Node* list = tree.Find(&tree.root(), column);
  if (list == nullptr || list->kind != Kind::kArray) return;
  for (const Node* each = tree.First(*list); each != nullptr; each = tree.Next(*list, *each)) use(each->text);
}

bool IsNotFinal(std::string_view code) {
  for (int flag = 0; flag < kAccountFlags; ++flag) {
    const auto known = static_cast<AccountFlag>(flag);
    if (AccountFlagName(known) == code) return ledger::IsNotFinal(known);
  }
  return false;
}

void AppendName(std::string_view name, std::string& json) {
  if (json.back() != '{' && json.back() != '[') json += ",";
  AppendJsonString(name, json);
  json += ":";
}

void AppendCounts(const std::map<std::string, int64_t>& counts, std::string& json) {
  json += "{";
  for (const auto& [name, count] : counts) AppendName(name, json), json += std::to_string(count);
  json += "}";
}

// A text of the feed, made harmless for a terminal.
std::string Shown(std::string_view text) {
  constexpr size_t kMax = 40;
  std::string quoted;
  AppendJsonString(text.substr(0, kMax), quoted);
  return quoted.substr(1, quoted.size() - 2);
}

std::string Line(std::string_view name, std::string_view note, int64_t count) {
  constexpr size_t kNameWidth = 34, kNoteWidth = 12;
  std::string line = "  " + Shown(name);
  line.resize(std::max(line.size() + 1, kNameWidth), ' ');
  line.append(note);
  line.resize(std::max(line.size() + 1, kNameWidth + kNoteWidth), ' ');
  return line + std::to_string(count) + "\n";
}

}  // namespace

void QualityReport::Add(std::string_view table, std::string_view json) {
  const bool told = table == "silver_quarantine_events" || table == "silver_ledger_events" ||
                    table == "silver_ignored" || table == "gold_account_balances" ||
                    table == "gold_source_transactions";
  Tree tree;
  Arena texts;
  if (!told || !tree.Parse(json::Padded(json, texts), texts)) return;
  const auto text = [&](std::string_view column) {
    const Node* node = tree.Find(&tree.root(), column);
    return node == nullptr ? std::string() : std::string(node->text);
  };
  const auto count = [&](std::string_view severity) {
    return [&, severity](std::string_view code) { ++rules_[{std::string(severity), std::string(code)}]; };
  };
  if (table == "silver_quarantine_events") return EachText(tree, "violations", count("reject"));
  if (table == "silver_ledger_events") return EachText(tree, "flags", count("flag"));
  if (table == "silver_ignored") return static_cast<void>(++ignored_[text("reason")]);
  if (table == "gold_account_balances") {
    ++(text("balance_is_final") == "true" ? final_ : not_final_);
    return EachText(tree, "quality_flags", [&](std::string_view code) {
      count(IsNotFinal(code) ? "not final" : "account flag")(code);
    });
  }
  const Node* missing = tree.Find(&tree.root(), "missing");
  const int64_t events = missing == nullptr ? 0 : connect::WholeOf(*missing).value_or(0);
  if (events != 0) short_transactions_[text("tx_id")] = events;
}

std::string QualityReport::Json(const Accounting& books) const {
  std::string json = "{\"fates\":{";
  for (int fate = 0; fate < kFates; ++fate) {
    AppendName(FateName(static_cast<Fate>(fate)), json);
    json += std::to_string(books.fates[static_cast<Fate>(fate)]);
  }
  json += "},\"rules\":[";
  for (const auto& [rule, count] : rules_) {
    json += json.back() == '[' ? "{\"code\":" : ",{\"code\":";
    AppendJsonString(rule.second, json);
    json += ",\"severity\":";
    AppendJsonString(rule.first, json);
    json.append(",\"count\":").append(std::to_string(count)).append("}");
  }
  json += "],\"ignored\":";
  AppendCounts(ignored_, json);
  json.append(",\"balances\":{\"final\":").append(std::to_string(final_));
  json.append(",\"not_final\":").append(std::to_string(not_final_)).append("},\"short_transactions\":[");
  for (const auto& [id, missing] : short_transactions_) {
    json += json.back() == '[' ? "{\"tx_id\":" : ",{\"tx_id\":";
    AppendJsonString(id, json);
    json.append(",\"missing\":").append(std::to_string(missing)).append("}");
  }
  return json += "]}";
}

std::string QualityReport::Text(const Accounting& books) const {
  std::string text = AccountingLine(books) + "\n\nquality\n";
  for (int fate = 0; fate < kFates; ++fate) {
    const auto each = static_cast<Fate>(fate);
    if (each == Fate::kSilver || books.fates[each] != 0)
      text += Line(FateName(each), "fate", books.fates[each]);
  }
  for (const auto& [rule, count] : rules_) text += Line(rule.second, rule.first, count);
  for (const auto& [reason, count] : ignored_) text += Line(reason, "ignored", count);
  for (const auto& [id, missing] : short_transactions_) text += Line("transaction " + id, "missing", missing);
  if (final_ + not_final_ != 0) {
    text += Line("balances", "final", final_);
    text += Line("balances", "not final", not_final_);
  }
  return text;
}

}  // namespace medallion::ledger
