// Everything, in the order in which a record flows; reading the headers in this order is reading the manual.
// Left out are the headers with libraries of their own: medallion/io/sqlite_store.h (with those it stands on, and
// each pack's run_sqlite.h) and medallion/ocpp/json.h.
#pragma once

// The order is the flow, so it is not sorted.
// clang-format off
// Small values: instants, exact decimals, digests, texts, the memory of a batch, how a table is described, and how its
// rows are kept.
#include "medallion/base/time.h"
#include "medallion/base/decimal.h"
#include "medallion/base/digest.h"
#include "medallion/base/text.h"
#include "medallion/base/arena.h"
#include "medallion/base/columns.h"
#include "medallion/base/pack.h"
#include "medallion/base/pages.h"
#include "medallion/base/chunked.h"

// What arrives: a record, its coordinate, and what it is the same record by.
#include "medallion/bronze/record.h"

// Rules that judge a row, the identity it is settled by, settling, its fate, and the books that must balance.
#include "medallion/silver/rules.h"
#include "medallion/silver/identity.h"
#include "medallion/silver/fate.h"
#include "medallion/silver/settle.h"
#include "medallion/silver/element.h"
#include "medallion/silver/settle_elements.h"
#include "medallion/silver/tables.h"
#include "medallion/silver/accounting.h"

// How far the data has come, and what must be derived and written.
#include "medallion/gold/data_clock.h"
#include "medallion/gold/row_hash.h"
#include "medallion/gold/merge.h"
#include "medallion/gold/resolve.h"
#include "medallion/gold/sighting.h"
#include "medallion/gold/gold_tables.h"
#include "medallion/gold/derive_entities.h"
#include "medallion/gold/row_difference.h"
#include "medallion/gold/version_diff.h"

// The edge: where records come from, where tables are kept, and the loop between them.
#include "medallion/io/source.h"
#include "medallion/io/line_source.h"
#include "medallion/io/file_ops.h"
#include "medallion/io/landing.h"
#include "medallion/io/store.h"
#include "medallion/io/tables.h"
#include "medallion/io/element_tables.h"
#include "medallion/io/element_codec.h"
#include "medallion/io/memory_tables.h"
#include "medallion/io/memory_timelines.h"
#include "medallion/io/memory_sightings.h"
#include "medallion/io/gold_codec.h"
#include "medallion/io/memory_store.h"
#include "medallion/io/forwarding_store.h"
#include "medallion/io/failing_store.h"
#include "medallion/io/in_order.h"
#include "medallion/io/run.h"
#include "medallion/io/gold_keeper.h"
#include "medallion/io/rederive.h"
#include "medallion/io/reconcile.h"

// Charging: from a payload's text to fields, to a row, to its judgement and identity; which facts are of one
// transaction, and which session where their own keys do not tell; from facts to sessions, meter intervals, connector
// states, days and the health of charge points.
#include "medallion/ocpp/flat_schema.h"
#include "medallion/ocpp/charging_event.h"
#include "medallion/ocpp/options.h"
#include "medallion/ocpp/record_lines.h"
#include "medallion/ocpp/parse.h"
#include "medallion/ocpp/enums.h"
#include "medallion/ocpp/normalize.h"
#include "medallion/ocpp/validate.h"
#include "medallion/ocpp/identify.h"
#include "medallion/ocpp/refine.h"
#include "medallion/ocpp/epochs.h"
#include "medallion/ocpp/resolve_transactions.h"
#include "medallion/ocpp/charging_session.h"
#include "medallion/ocpp/meter_intervals.h"
#include "medallion/ocpp/derive_sessions.h"
#include "medallion/ocpp/connector_status.h"
#include "medallion/ocpp/charging_stats_daily.h"
#include "medallion/ocpp/charge_point_health.h"
#include "medallion/ocpp/charging.h"
#include "medallion/ocpp/run.h"

// The ledger: money, assets and events; from records, native or a legacy database's changes, to elements; whether
// transfers balance and transactions came whole; rows of the legacy tables, balances and features; the quality report.
#include "medallion/ledger/minor_units.h"
#include "medallion/ledger/assets.h"
#include "medallion/ledger/ledger_event.h"
#include "medallion/ledger/options.h"
#include "medallion/ledger/record_lines.h"
#include "medallion/ledger/validate.h"
#include "medallion/ledger/identify.h"
#include "medallion/ledger/refine.h"
#include "medallion/ledger/resolve_transfers.h"
#include "medallion/ledger/account_balance.h"
#include "medallion/ledger/account_features.h"
#include "medallion/ledger/legacy_row.h"
#include "medallion/ledger/derive_accounts.h"
#include "medallion/ledger/quality_report.h"
#include "medallion/ledger/ledger.h"
#include "medallion/ledger/run.h"

// A token feed: amounts and addresses, messages and the envelopes they come in, their rows, what is told of a token from
// them; landing envelopes, and scoring again by other parameters.
#include "medallion/launchpad/amount.h"
#include "medallion/launchpad/base58.h"
#include "medallion/launchpad/envelope.h"
#include "medallion/launchpad/message.h"
#include "medallion/launchpad/options.h"
#include "medallion/launchpad/launch_event.h"
#include "medallion/launchpad/refine.h"
#include "medallion/launchpad/risk_signals.h"
#include "medallion/launchpad/token_risk.h"
#include "medallion/launchpad/launches.h"
#include "medallion/launchpad/run.h"
#include "medallion/launchpad/land.h"
#include "medallion/launchpad/rescore.h"
