// Change records of Debezium, and what else its topics carry: from JSON to a draft. The anti-corruption layer: rows of
// the legacy tables become ledger events. Pure. Source: the ledger domain, section 1; Debezium's documentation of the
// PostgreSQL and MySQL connectors.
#pragma once

#include <string_view>

#include "base/json_tree.h"
#include "draft.h"
#include "medallion/base/arena.h"
#include "medallion/ledger/options.h"

namespace medallion::ledger::reading {

// A record's parts, as they were found in its line.
struct ChangeRecord {
  const json::Tree& tree;               // of the value and its schema
  const json::Tree& headers_tree;       // of the headers
  const json::Node* value = nullptr;    // the envelope, without its schema
  const json::Node* schema = nullptr;   // or null
  const json::Node* headers = nullptr;  // or null
  std::string_view key = {};            // the record's key: JSON, or a bare text
};

// Whether the object is an envelope, or a message beside the changes (a transaction's border, a change of a schema, a
// heartbeat), in place of a native event.
bool IsChange(const json::Tree& tree, const json::Node& object);

// Fills the draft; texts refer to the tree's and to `texts`.
void ReadChange(const ChangeRecord& record, const Options& options, Arena& texts, Draft& draft);

}  // namespace medallion::ledger::reading
