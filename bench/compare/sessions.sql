-- DuckDB's side of the comparison: flat lines of the benchmark feed to Silver, audit, quarantine and sessions, in
-- memory. Same rules, as far as the feed needs them; README.md says what is left out and which other forms were tried.
-- The variable `feed` names the file. Meters are in thousandths of Wh.
--
-- Types are numbers, because comparing them is cheap: 1 StartTransaction, 2 StopTransaction, 3 MeterValues,
-- 4 StatusNotification, 5 Heartbeat. A row's `rowid` is the number of its line, from 0: one thread reads in order.

-- ---- Silver ---------------------------------------------------------------------------------------------------------

CREATE TABLE event AS
WITH line AS (
  -- Texts, so that a value that is none of its type is seen. A line that is no JSON is a row of nulls.
  SELECT text, unnest(from_json(text, '{
    "event_id": "VARCHAR", "event_type": "VARCHAR", "charge_point_id": "VARCHAR", "connector_id": "VARCHAR",
    "event_ts": "VARCHAR", "transaction_id": "VARCHAR", "meter_value": "VARCHAR", "meter_kwh": "VARCHAR",
    "unit": "VARCHAR", "measurand": "VARCHAR", "location": "VARCHAR", "context": "VARCHAR", "id_tag": "VARCHAR",
    "connector_status": "VARCHAR", "error_code": "VARCHAR", "stop_reason": "VARCHAR", "ocpp_version": "VARCHAR",
    "schema_version": "VARCHAR"}'))
  FROM read_json_objects(getvariable('feed'), format = 'newline_delimited', ignore_errors = true) AS t(text)
), typed AS (
  SELECT *,
    CASE event_type
      WHEN 'MeterValues' THEN 3 WHEN 'StartTransaction' THEN 1 WHEN 'StopTransaction' THEN 2 WHEN 'Heartbeat' THEN 5
      WHEN 'StatusNotification' THEN 4
      ELSE CASE lower(replace(replace(replace(event_type, '_', ''), '-', ''), ' ', ''))
        WHEN 'metervalues' THEN 3 WHEN 'starttransaction' THEN 1 WHEN 'stoptransaction' THEN 2
        WHEN 'heartbeat' THEN 5 WHEN 'statusnotification' THEN 4 END
      END::TINYINT AS type,
    nullif(charge_point_id, '') AS charge_point,
    try_cast(connector_id AS INTEGER) AS connector,
    -- A cast to TIMESTAMP overlooks an offset.
    CASE WHEN ends_with(event_ts, 'Z') THEN try_cast(event_ts AS TIMESTAMP)
         ELSE try_cast(event_ts AS TIMESTAMPTZ) AT TIME ZONE 'UTC' END AS ts,
    try_cast(transaction_id AS INTEGER) AS transaction,
    CASE WHEN unit = 'Wh' THEN (try_cast(meter_value AS DECIMAL(18, 3)) * 1000)::BIGINT
         WHEN meter_kwh IS NOT NULL THEN (try_cast(meter_kwh AS DECIMAL(18, 6)) * 1000000)::BIGINT
         WHEN lower(unit) = 'kwh' THEN (try_cast(meter_value AS DECIMAL(18, 6)) * 1000000)::BIGINT
         ELSE (try_cast(meter_value AS DECIMAL(18, 3)) * 1000)::BIGINT END AS meter_mwh,
    CASE WHEN connector_status IN ('Available', 'Charging', 'Faulted') THEN connector_status
         WHEN connector_status IS NOT NULL THEN CASE lower(translate(connector_status, '_- ', ''))
           WHEN 'available' THEN 'Available' WHEN 'preparing' THEN 'Preparing' WHEN 'charging' THEN 'Charging'
           WHEN 'suspendedev' THEN 'SuspendedEV' WHEN 'suspendedevse' THEN 'SuspendedEVSE'
           WHEN 'finishing' THEN 'Finishing' WHEN 'reserved' THEN 'Reserved' WHEN 'unavailable' THEN 'Unavailable'
           WHEN 'faulted' THEN 'Faulted' ELSE connector_status END END AS status
  FROM line
), judged AS (
  SELECT *, CASE
    WHEN text IS NULL OR ends_with(text::VARCHAR, ',}') THEN 'CORRUPT_PAYLOAD'  -- that comma passes for JSON
    WHEN schema_version <> '1' THEN 'SCHEMA_MISMATCH'
    WHEN event_id IS NULL THEN 'MISSING_EVENT_ID'
    WHEN charge_point IS NULL THEN 'MISSING_CHARGE_POINT_ID'
    WHEN type IS NULL THEN 'UNKNOWN_EVENT_TYPE'
    WHEN ts IS NULL OR ts < TIMESTAMP '2010-01-01' THEN 'INVALID_EVENT_TS'
    WHEN transaction_id IS NULL AND type <= 3 THEN 'MISSING_TRANSACTION_ID'
    WHEN strlen(transaction_id) > 36 THEN 'INVALID_TRANSACTION_ID'
    WHEN meter_value IS NULL AND meter_kwh IS NULL AND type = 3 THEN 'MISSING_METER_VALUE'
    WHEN (meter_mwh IS NULL OR meter_mwh < 0) AND type = 3 THEN 'INVALID_METER_VALUE'
    WHEN unit NOT IN ('Wh', 'WH', 'kWh') THEN 'UNKNOWN_UNIT'
    WHEN connector_id IS NOT NULL AND (connector IS NULL OR connector < 0) THEN 'INVALID_CONNECTOR_ID'
    WHEN status IS NULL AND type = 4 THEN 'UNKNOWN_STATUS' END AS violation
  FROM typed
)
SELECT
  type, charge_point, connector, ts, transaction, meter_mwh, event_id, id_tag, status, error_code, stop_reason,
  measurand, location, context, ocpp_version, violation,
  CASE WHEN violation IS NOT NULL THEN text::VARCHAR END AS raw_payload,
  CASE WHEN violation IS NULL THEN sha256(CASE type
    WHEN 3 THEN concat('MeterValues|', upper(charge_point), '|', transaction, strftime(ts, '|%Y-%m-%dT%H:%M:%S.%fZ|'),
      CASE WHEN measurand IS NULL AND location IS NULL AND context IS NULL
           THEN 'Energy.Active.Import.Register||Outlet|Sample.Periodic|0'
           ELSE concat(coalesce(measurand, 'Energy.Active.Import.Register'), '||', coalesce(location, 'Outlet'), '|',
                       coalesce(context, 'Sample.Periodic'), '|0') END)
    WHEN 1 THEN concat('StartTransaction|', upper(charge_point), '|', connector, '|', transaction)
    WHEN 2 THEN concat('StopTransaction|', upper(charge_point), '|', transaction)
    WHEN 4 THEN concat('StatusNotification|', upper(charge_point), '||', connector, '|', status,
                       strftime(ts, '|%Y-%m-%dT%H:%M:%S.%fZ'))
    WHEN 5 THEN concat('Heartbeat|', upper(charge_point), strftime(ts, '|%Y-%m-%dT%H:%M:%S.%fZ')) END) END AS key
FROM judged;

SET VARIABLE data_clock = (SELECT max(ts) FROM event);

-- Lines that break a rule.
CREATE TABLE quarantine AS
SELECT rowid AS line, charge_point, event_id, violation, raw_payload FROM event WHERE violation IS NOT NULL;
DELETE FROM event WHERE violation IS NOT NULL;

-- ---- Settling: what shares a business key ---------------------------------------------------------------------------

CREATE TABLE copy AS
SELECT rowid AS line, key, ts, event_id, meter_mwh, id_tag, error_code FROM event
WHERE hash(key) IN (SELECT hash(key) FROM event GROUP BY 1 HAVING count(*) > 1);

CREATE TABLE fate AS
WITH judged AS (
  SELECT c.line, c.key, c.ts, c.event_id, winner,
    coalesce(c.meter_mwh <> winner.meter_mwh OR c.id_tag <> winner.id_tag OR c.error_code <> winner.error_code, false)
      AS differs
  FROM copy AS c JOIN (
    SELECT key, arg_min({line: line, meter_mwh: meter_mwh, id_tag: id_tag, error_code: error_code},
                        (ts, event_id, line)) AS winner
    FROM copy GROUP BY key HAVING count(*) > 1) AS w USING (key)
)
SELECT line, winner.line AS winner, CASE
  WHEN differs THEN 'CONFLICT'
  WHEN line = winner.line THEN 'SILVER'
  WHEN row_number() OVER (PARTITION BY key, event_id, differs ORDER BY ts, line) > 1 THEN 'TECHNICAL'
  ELSE 'BUSINESS' END AS fate
FROM judged;

CREATE TABLE audit AS
SELECT e.charge_point, e.event_id, e.key, f.fate AS duplicate_type, f.winner, f.line
FROM event AS e JOIN fate AS f ON f.line = e.rowid WHERE f.fate IN ('TECHNICAL', 'BUSINESS');

CREATE TABLE conflict AS
SELECT e.*, f.winner, f.line FROM event AS e JOIN fate AS f ON f.line = e.rowid WHERE f.fate = 'CONFLICT';
INSERT INTO quarantine SELECT line, charge_point, event_id, 'CONFLICT', NULL FROM conflict;

DELETE FROM event WHERE rowid IN (SELECT line FROM fate WHERE fate <> 'SILVER');

-- ---- Sessions -------------------------------------------------------------------------------------------------------

-- In the feed only a session with a conflict can have a register that does not fit: the higher of the two values won.
-- A begin that the next two registers lie below is set aside; one register below the one before it, at the end of what
-- is known, does not count yet.
CREATE TABLE contested AS
SELECT charge_point, transaction,
  CASE WHEN m[1] - m[2] >= 1000 AND m[1] - m[3] >= 1000 THEN m[2] ELSE m[1] END AS first_mwh,
  CASE WHEN NOT stopped AND m[-2] = list_max(m) AND m[-2] - m[-1] >= 1000 THEN m[-2] ELSE m[-1] END AS last_mwh
FROM (
  SELECT charge_point, transaction, list(meter_mwh ORDER BY ts) AS m, bool_or(type = 2) AS stopped
  FROM event
  WHERE type <= 3 AND (charge_point, transaction) IN (SELECT (charge_point, transaction) FROM conflict WHERE type <= 3)
  GROUP BY charge_point, transaction);

CREATE TABLE session AS
WITH fold AS (
  SELECT charge_point, transaction, max(ts) AS last_ts, count(*) AS event_count, max(connector) AS connector,
    max(id_tag) AS id_tag, max(stop_reason) AS stop_reason,
    max(CASE WHEN type = 1 THEN ts END) AS start_ts, max(CASE WHEN type = 1 THEN meter_mwh END) AS start_mwh,
    max(CASE WHEN type = 2 THEN ts END) AS stop_ts, max(CASE WHEN type = 2 THEN meter_mwh END) AS stop_mwh,
    arg_min(CASE WHEN type = 3 THEN meter_mwh END, ts) AS first_mwh,
    arg_max(CASE WHEN type = 3 THEN meter_mwh END, ts) AS last_mwh
  FROM event WHERE type <= 3 GROUP BY transaction, charge_point
), measured AS (
  SELECT f.* EXCLUDE (first_mwh, last_mwh), c.transaction IS NOT NULL AS contested,
    coalesce(c.last_mwh, f.stop_mwh, f.last_mwh) - coalesce(c.first_mwh, f.start_mwh, f.first_mwh) AS energy_mwh
  FROM fold AS f LEFT JOIN contested AS c USING (transaction, charge_point)
)
SELECT sha256(concat(upper(charge_point), '|', transaction)) AS session_id, charge_point, transaction, connector,
  id_tag, start_ts, stop_ts, last_ts, start_mwh, stop_mwh, stop_reason, event_count,
  CASE WHEN energy_mwh < 0 THEN 0 ELSE (energy_mwh + 500) // 1000 END::INTEGER AS energy_wh,
  CASE WHEN start_ts IS NULL THEN 'START_MISSING'
       WHEN stop_ts IS NOT NULL THEN 'COMPLETED'
       WHEN getvariable('data_clock') - last_ts >= INTERVAL 24 HOURS THEN 'TIMED_OUT'
       ELSE 'IN_PROGRESS' END AS session_status,
  start_mwh IS NOT NULL AND stop_mwh IS NOT NULL AND NOT contested AS energy_is_final
FROM measured
WHERE start_ts IS NOT NULL OR stop_ts IS NOT NULL OR energy_mwh >= 1000;
