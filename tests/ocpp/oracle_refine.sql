R"sql(
-- Refining: deliveries -> records -> fields -> typed events with violations, flags and business keys.
-- Source: the charging domain, sections 1 to 3. Helpers (dec, ts_us, …): oracle_functions.h.

CREATE TABLE alias(spelling TEXT PRIMARY KEY, field TEXT, rank INT, type TEXT);
INSERT INTO alias VALUES
  ('event_id','event_id',1,'text_or_int'), ('message_id','event_id',2,'text_or_int'),
  ('event_type','event_type',1,'text'), ('action','event_type',2,'text'),
  ('charge_point_id','charge_point_id',1,'text'),
  ('connector_id','connector_id',1,'digits'), ('evse_id','evse_id',1,'digits'),
  ('transaction_id','transaction_id',1,'text_or_int'),
  ('event_ts','event_ts',1,'text'), ('timestamp','event_ts',2,'text'),
  ('meter_value','meter_value',1,'meter'), ('meter_wh','meter_wh',1,'meter'),
      ('meter_kwh','meter_kwh',1,'meter'),
  ('unit','unit',1,'text'),
  ('measurand','measurand',1,'text'), ('phase','phase',1,'text'), ('location','location',1,'text'),
  ('context','context',1,'text'),
  ('connector_status','status',1,'text'), ('status','status',2,'text'),
  ('error_code','error_code',1,'text'),
  ('stop_reason','stop_reason',1,'text'), ('reason','stop_reason',2,'text'),
  ('id_tag','id_tag',1,'text'),
  ('seq_no','seq_no',1,'int'), ('offline','offline',1,'bool'),
  ('trigger_reason','trigger_reason',1,'text'), ('charging_state','charging_state',1,'text'),
  ('ocpp_version','ocpp_version',1,'text'), ('schema_version','schema_version',1,'int');

CREATE TABLE enumeration(kind TEXT, version TEXT, value TEXT);  -- version: 1, 2 or * (any)
INSERT INTO enumeration
SELECT lists.kind, lists.version, value FROM (
  SELECT 'measurand' AS kind, '*' AS version, '["Current.Export","Current.Import","Current.Offered",
    "Energy.Active.Export.Register","Energy.Active.Import.Register","Energy.Reactive.Export.Register",
    "Energy.Reactive.Import.Register","Energy.Active.Export.Interval","Energy.Active.Import.Interval",
    "Energy.Reactive.Export.Interval","Energy.Reactive.Import.Interval","Energy.Active.Net",
        "Energy.Reactive.Net",
    "Energy.Apparent.Net","Energy.Apparent.Import","Energy.Apparent.Export","Frequency","Power.Active.Export",
    "Power.Active.Import","Power.Factor","Power.Offered","Power.Reactive.Export","Power.Reactive.Import",
        "RPM",
    "SoC","Temperature","Voltage"]' AS list
  UNION ALL SELECT 'phase', '*', '["L1","L2","L3","N","L1-N","L2-N","L3-N","L1-L2","L2-L3","L3-L1"]'
  UNION ALL SELECT 'location', '*', '["Body","Cable","EV","Inlet","Outlet"]'
  UNION ALL SELECT 'context', '*', '["Interruption.Begin","Interruption.End","Other","Sample.Clock",
    "Sample.Periodic","Transaction.Begin","Transaction.End","Trigger"]'
  UNION ALL SELECT 'unit', '*', '["Wh","kWh","MWh","W","kW","VA","kVA","var","kvar","varh","kvarh","VAh",
      "kVAh","A",
    "V","K","C","Celsius","Celcius","Fahrenheit","Percent","Hertz","Hz","RPM"]'
  UNION ALL SELECT 'status', '1', '["Available","Preparing","Charging","SuspendedEV","SuspendedEVSE",
      "Finishing",
    "Reserved","Unavailable","Faulted"]'
  UNION ALL SELECT 'status', '2', '["Available","Occupied","Reserved","Unavailable","Faulted"]'
  UNION ALL SELECT 'stop_reason', '1', '["DeAuthorized","EmergencyStop","EVDisconnected","HardReset","Local",
      "Other",
    "PowerLoss","Reboot","Remote","SoftReset","UnlockCommand"]'
  UNION ALL SELECT 'stop_reason', '2', '["DeAuthorized","EmergencyStop","EnergyLimitReached","EVDisconnected",
    "GroundFault","ImmediateReset","Local","LocalOutOfCredit","MasterPass","Other","OvercurrentFault",
        "PowerLoss",
    "PowerQuality","Reboot","Remote","SOCLimitReached","StoppedByEV","TimeLimitReached","Timeout",
    "ReqEnergyTransferRejected"]'
) AS lists JOIN json_each(lists.list);

CREATE TABLE event_type_name(folded TEXT PRIMARY KEY, name TEXT);
INSERT INTO event_type_name VALUES ('starttransaction','StartTransaction'), ('metervalues','MeterValues'),
  ('stoptransaction','StopTransaction'), ('statusnotification','StatusNotification'),
      ('heartbeat','Heartbeat');

CREATE TABLE energy_unit(unit TEXT PRIMARY KEY, exponent INT, family TEXT);
INSERT INTO energy_unit VALUES ('Wh',0,'active'), ('kWh',3,'active'), ('MWh',6,'active'),
  ('varh',0,'reactive'), ('kvarh',3,'reactive'), ('VAh',0,'apparent'), ('kVAh',3,'apparent');

CREATE TABLE reject(rank INTEGER PRIMARY KEY, code TEXT);
INSERT INTO reject SELECT key, value FROM json_each('["CORRUPT_PAYLOAD","SCHEMA_MISMATCH","AMBIGUOUS_FIELD",
  "MISSING_EVENT_ID","MISSING_CHARGE_POINT_ID","UNKNOWN_EVENT_TYPE","INVALID_EVENT_TS",
      "MISSING_TRANSACTION_ID",
  "INVALID_TRANSACTION_ID","MISSING_METER_VALUE","INVALID_METER_VALUE","UNKNOWN_UNIT","INVALID_CONNECTOR_ID",
  "UNKNOWN_STATUS","CONFLICT"]');

-- One record a coordinate and payload; of its deliveries the smallest of each stands.
CREATE TABLE record AS
SELECT row_number() OVER (ORDER BY topic, partition, "offset", digest) AS rec, *
FROM (
  SELECT topic, partition, "offset", digest, payload, min(nullif(key, '')) AS key, min(broker_ts)
      AS broker_ts,
         min(ingest_ts) AS ingest_ts, min(direction) AS direction, min(nullif(version, '')) AS version,
         min(nullif(connection_id, '')) AS connection_id
  FROM (SELECT *, sha256(payload) AS digest FROM delivery)
  GROUP BY topic, partition, "offset", digest
);

CREATE TABLE body AS SELECT rec, payload_fields(payload) AS fields FROM record;

CREATE TABLE field AS
SELECT b.rec, j.key AS pos, j.value ->> '$.name' AS name, j.value ->> '$.kind' AS kind,
       j.value ->> '$.text' AS text, j.value ->> '$.json' AS json
FROM body AS b JOIN json_each(b.fields) AS j;

-- Known fields; `text` is null where the value counts as absent. An empty meter text is no number, not
-- absent; nor is anything but null absent in a field of which another value is an error of its own.
-- Of one JSON key twice the first stands.
CREATE TABLE named AS
SELECT f.rec, f.pos, row_number() OVER (PARTITION BY f.rec, f.name ORDER BY f.pos) AS occurrence, f.name, a.field, a.rank, a.type, f.name <> a.spelling AS recased, f.kind,
       CASE WHEN a.type = 'bool' THEN CASE WHEN f.kind IN ('true', 'false') THEN f.kind END
            WHEN f.kind IN ('string', 'number') AND (strip(f.text) <> '' OR a.type = 'meter') THEN f.text
            WHEN f.kind NOT IN ('string', 'number', 'null')
              AND a.field IN ('transaction_id', 'connector_id', 'evse_id', 'event_ts', 'meter_value', 'meter_wh',
                              'meter_kwh') THEN f.json
            END AS text
FROM field AS f JOIN alias AS a ON a.spelling = lower(f.name);

CREATE TABLE val AS
SELECT rec, field, type, kind, text
FROM (SELECT *, row_number() OVER (PARTITION BY rec, field ORDER BY pos) AS n
      FROM named WHERE text IS NOT NULL AND occurrence = 1)
WHERE n = 1;

-- One row a readable event, its values as they were written.
CREATE TABLE written AS
SELECT r.rec,
  max(CASE WHEN field = 'event_id' THEN text END) AS event_id,
  max(CASE WHEN field = 'event_id' THEN kind END) AS event_id_kind,
  max(CASE WHEN field = 'event_type' THEN strip(text) END) AS event_type,
  max(CASE WHEN field = 'charge_point_id' THEN strip(text) END) AS charge_point,
  max(CASE WHEN field = 'connector_id' THEN text END) AS connector,
  max(CASE WHEN field = 'connector_id' THEN kind END) AS connector_kind,
  max(CASE WHEN field = 'evse_id' THEN text END) AS evse,
  max(CASE WHEN field = 'evse_id' THEN kind END) AS evse_kind,
  max(CASE WHEN field = 'transaction_id' THEN text END) AS tx,
  max(CASE WHEN field = 'transaction_id' THEN kind END) AS tx_kind,
  max(CASE WHEN field = 'event_ts' THEN strip(text) END) AS ts,
  max(CASE WHEN field = 'meter_value' THEN strip(text) END) AS meter_value,
  max(CASE WHEN field = 'meter_wh' THEN strip(text) END) AS meter_wh,
  max(CASE WHEN field = 'meter_kwh' THEN strip(text) END) AS meter_kwh,
  max(CASE WHEN field = 'unit' THEN strip(text) END) AS unit,
  max(CASE WHEN field = 'measurand' THEN strip(text) END) AS measurand,
  max(CASE WHEN field = 'phase' THEN strip(text) END) AS phase,
  max(CASE WHEN field = 'location' THEN strip(text) END) AS location,
  max(CASE WHEN field = 'context' THEN strip(text) END) AS context,
  max(CASE WHEN field = 'status' THEN strip(text) END) AS status,
  max(CASE WHEN field = 'error_code' THEN strip(text) END) AS error_code,
  max(CASE WHEN field = 'stop_reason' THEN strip(text) END) AS stop_reason,
  max(CASE WHEN field = 'id_tag' THEN strip(text) END) AS id_tag,
  max(CASE WHEN field = 'seq_no' THEN text END) AS seq_no,
  max(CASE WHEN field = 'offline' THEN text END) AS offline,
  max(CASE WHEN field = 'trigger_reason' THEN strip(text) END) AS trigger_reason,
  max(CASE WHEN field = 'charging_state' THEN strip(text) END) AS charging_state,
  max(CASE WHEN field = 'ocpp_version' THEN strip(text) END) AS ocpp_version,
  max(CASE WHEN field = 'schema_version' THEN text END) AS schema_version,
  max(CASE WHEN field = 'schema_version' THEN kind END) AS schema_version_kind
FROM record AS r JOIN body AS b USING (rec) LEFT JOIN val AS v ON v.rec = r.rec
WHERE b.fields IS NOT NULL
GROUP BY r.rec;

-- An ingest_ts inside the event serves where the record has none.
CREATE TABLE inner_ingest AS
SELECT rec, min(ts_us(text)) AS us FROM field WHERE lower(name) = 'ingest_ts' AND kind = 'string'
    GROUP BY rec;

CREATE TABLE extra AS
SELECT f.rec, json_group_object(f.name, json(f.json)) AS fields
FROM (SELECT DISTINCT rec, name, json FROM field) AS f
JOIN record AS r ON r.rec = f.rec
WHERE lower(f.name) NOT IN (SELECT spelling FROM alias)
  AND NOT (lower(f.name) = 'ingest_ts' AND r.ingest_ts IS NULL)
GROUP BY f.rec;

-- Names, ids and versions.
CREATE TABLE identified AS
SELECT w.*, r.key, r.version AS record_version,
  CASE WHEN event_id_kind = 'number' THEN coalesce(int_token(event_id), event_id) ELSE strip(event_id) END
      AS id,
  t.name AS type,
  coalesce(charge_point, nullif(strip(r.key), '')) AS cp,
  charge_point IS NULL AND nullif(strip(r.key), '') IS NOT NULL AS cp_from_key,
  coalesce(w.ocpp_version, r.version) AS version,
  coalesce(w.ocpp_version, r.version, '') LIKE '2%' AS is_2x,
  CAST(CASE WHEN connector_kind = 'number' THEN int_token(connector)
            ELSE digits_text(strip(connector)) END AS INTEGER) AS connector_no,
  CAST(CASE WHEN evse_kind = 'number' THEN int_token(evse) ELSE digits_text(strip(evse)) END AS INTEGER)
      AS evse_no,
  CAST(int_token(strip(w.seq_no)) AS INTEGER) AS seq,
  CASE WHEN schema_version IS NULL THEN 1 ELSE CAST(int_token(strip(schema_version)) AS INTEGER) END
      AS schema_no
FROM written AS w JOIN record AS r USING (rec)
LEFT JOIN event_type_name AS t
  ON t.folded = lower(replace(replace(replace(w.event_type, '_', ''), '-', ''), ' ', ''));

-- The transaction id, and whether it is one (-1, 0 and values outside 32 bit are not).
CREATE TABLE transacted AS
SELECT *,
  tx_id IS NOT NULL AND tx_id NOT IN ('-1', '0')
    AND NOT (NOT is_2x AND digits_text(tx_id) IS NOT NULL
             AND CAST(tx_id AS INTEGER) NOT BETWEEN -2147483648 AND 2147483647) AS tx_usable
FROM (
  SELECT *,
    CASE WHEN tx_kind = 'number' THEN int_token(tx)
         WHEN tx_kind <> 'string' THEN NULL
         WHEN is_2x THEN tx
         ELSE coalesce(digits_text(strip(tx)), strip(tx)) END AS tx_id
  FROM identified
);

-- Time. `us` is what the device reported; `event_us` is what counts.
CREATE TABLE timed AS
SELECT *,
  CASE WHEN ts_missing_ok THEN ingest_us
       WHEN clock IS NOT NULL AND (SELECT value FROM setting WHERE name = 'keep_bad_clock') THEN ingest_us
       ELSE us END AS event_us,
  ts IS NULL AND NOT ts_missing_ok OR ts IS NOT NULL AND us IS NULL
    OR clock IS NOT NULL AND NOT (SELECT value FROM setting WHERE name = 'keep_bad_clock') AS ts_invalid
FROM (
  SELECT *, ts IS NULL AND coalesce(type IN ('StatusNotification', 'Heartbeat'), 0) AS ts_missing_ok,
    CASE WHEN us < 1262304000000000 THEN 'CLOCK_UNSET'  -- 2010-01-01
         WHEN us > ingest_us + 300000000 THEN 'FUTURE_TIMESTAMP' END AS clock
  FROM (
    SELECT e.*, ts_us(e.ts) AS us,
      coalesce(r.ingest_ts, i.us, ts_us(e.ts)) AS ingest_us
    FROM transacted AS e JOIN record AS r USING (rec) LEFT JOIN inner_ingest AS i USING (rec)
  )
);

-- Enumerations: exactly, else by folded case (of a status separators too), else as written.
CREATE TABLE enumerated AS
WITH wanted AS (
  SELECT rec, kind, text, is_2x, version IS NULL AS unknown_version, folded
  FROM (
    SELECT rec, is_2x, version, 'measurand' AS kind, measurand AS text, lower(measurand) AS folded FROM timed
    UNION ALL SELECT rec, is_2x, version, 'phase', phase, lower(phase) FROM timed
    UNION ALL SELECT rec, is_2x, version, 'location', location, lower(location) FROM timed
    UNION ALL SELECT rec, is_2x, version, 'context', context, lower(context) FROM timed
    UNION ALL SELECT rec, is_2x, version, 'unit', unit, CASE unit WHEN 'mWh' THEN 'mWh' ELSE lower(unit) END FROM timed
    UNION ALL SELECT rec, is_2x, version, 'stop_reason', stop_reason, lower(stop_reason) FROM timed
    UNION ALL SELECT rec, is_2x, version, 'status', status,
                     lower(replace(replace(replace(status, '_', ''), '-', ''), ' ', '')) FROM timed
  )
  WHERE text IS NOT NULL
)
SELECT w.rec, w.kind, w.text,
  coalesce(max(CASE WHEN e.value = w.text THEN e.value END), min(e.value)) AS value,
  max(e.value = w.text) IS NOT 1 AS inexact
FROM wanted AS w LEFT JOIN enumeration AS e
  ON e.kind = w.kind AND lower(e.value) = w.folded
     AND (e.version = '*' OR w.unknown_version OR e.version = CASE WHEN w.is_2x THEN '2' ELSE '1' END)
GROUP BY w.rec, w.kind, w.text;

-- The reading. `header` = the meter of a start or stop.
CREATE TABLE metered AS
SELECT *,
  CASE WHEN NOT (is_reading OR header) OR meter_text IS NULL THEN NULL
       WHEN header AND family IS NOT 'active' THEN NULL
       ELSE dec(meter_text, CASE WHEN family = 'active' THEN exponent ELSE 0 END) END AS plain,
  is_energy AND NOT coalesce(family = 'active' OR family = 'reactive' AND m LIKE 'Energy.Reactive%'
                             OR family = 'apparent' AND m LIKE 'Energy.Apparent%', 0) AS unit_bad
FROM (
  SELECT *, header OR m LIKE 'Energy.%' AS is_energy,
    coalesce(unit_known, unit_raw, CASE WHEN header OR m LIKE 'Energy.%' THEN 'Wh' END) AS u
  FROM (
    SELECT t.*,
      coalesce(type IN ('StartTransaction', 'StopTransaction'), 0) AS header,
      coalesce(type = 'MeterValues', 0) AS is_reading,
      coalesce(em.value, t.measurand, CASE WHEN type = 'MeterValues' THEN 'Energy.Active.Import.Register'
          END) AS m,
      coalesce(ep.value, t.phase) AS p,
      coalesce(el.value, t.location, CASE WHEN type = 'MeterValues' THEN 'Outlet' END) AS l,
      coalesce(ec.value, t.context, CASE WHEN type = 'MeterValues' THEN 'Sample.Periodic' END) AS c,
      coalesce(meter_value, meter_wh, meter_kwh) AS meter_text,
      CASE WHEN meter_value IS NOT NULL OR (meter_wh IS NULL AND meter_kwh IS NULL) THEN eu.value
           WHEN meter_wh IS NOT NULL THEN 'Wh' ELSE 'kWh' END AS unit_known,
      CASE WHEN meter_value IS NOT NULL THEN t.unit END AS unit_raw,
      meter_value IS NOT NULL AND eu.value IS NOT NULL AND eu.inexact AS unit_folded
    FROM timed AS t
    LEFT JOIN enumerated AS em ON em.rec = t.rec AND em.kind = 'measurand'
    LEFT JOIN enumerated AS ep ON ep.rec = t.rec AND ep.kind = 'phase'
    LEFT JOIN enumerated AS el ON el.rec = t.rec AND el.kind = 'location'
    LEFT JOIN enumerated AS ec ON ec.rec = t.rec AND ec.kind = 'context'
    LEFT JOIN enumerated AS eu ON eu.rec = t.rec AND eu.kind = 'unit'
  )
) LEFT JOIN energy_unit ON energy_unit.unit = u;

CREATE TABLE ambiguous AS
SELECT rec FROM field GROUP BY rec, name HAVING count(DISTINCT kind || ':' || CASE kind WHEN 'string'
    THEN text ELSE json END) > 1
UNION
SELECT rec FROM named WHERE text IS NOT NULL GROUP BY rec, field HAVING count(DISTINCT strip(text)) > 1
UNION  -- the meter's spellings, compared in Wh
SELECT rec FROM (
  SELECT rec, coalesce(dec(meter_value, coalesce((SELECT exponent FROM energy_unit WHERE unit = u), 0)),
      'none') AS wh
  FROM metered WHERE meter_value IS NOT NULL
  UNION ALL SELECT rec, coalesce(dec(meter_wh, 0), 'none') FROM metered WHERE meter_wh IS NOT NULL
  UNION ALL SELECT rec, coalesce(dec(meter_kwh, 3), 'none') FROM metered WHERE meter_kwh IS NOT NULL
) GROUP BY rec HAVING count(DISTINCT wh) > 1
UNION  -- a unit that contradicts the one its field's name implies
SELECT w.rec FROM written AS w JOIN metered AS m USING (rec) LEFT JOIN enumerated AS e ON e.rec = w.rec
    AND e.kind = 'unit'
WHERE w.meter_value IS NULL AND w.unit IS NOT NULL
  AND (w.meter_wh IS NOT NULL AND coalesce(e.value, '') <> 'Wh'
       OR w.meter_kwh IS NOT NULL AND coalesce(e.value, '') <> 'kWh');

CREATE TABLE violation AS
WITH readable AS (
  SELECT * FROM metered WHERE schema_no IS 1
), broken(rec, code) AS (
  SELECT rec, 'CORRUPT_PAYLOAD' FROM body WHERE fields IS NULL
  UNION ALL SELECT rec, 'SCHEMA_MISMATCH' FROM metered WHERE schema_no IS NOT 1
  UNION ALL SELECT rec, 'AMBIGUOUS_FIELD' FROM ambiguous JOIN readable USING (rec)
  UNION ALL SELECT rec, 'MISSING_EVENT_ID' FROM readable WHERE id IS NULL
  UNION ALL SELECT rec, 'MISSING_CHARGE_POINT_ID' FROM readable WHERE cp IS NULL
  UNION ALL SELECT rec, 'UNKNOWN_EVENT_TYPE' FROM readable WHERE type IS NULL
  UNION ALL SELECT rec, 'INVALID_EVENT_TS' FROM readable WHERE ts_invalid
  UNION ALL SELECT rec, 'MISSING_TRANSACTION_ID' FROM readable WHERE (header OR is_reading) AND tx IS NULL
  UNION ALL SELECT rec, 'INVALID_TRANSACTION_ID' FROM readable
            WHERE tx IS NOT NULL AND (tx_id IS NULL OR length(tx_id) > 36)
  UNION ALL SELECT rec, 'MISSING_METER_VALUE' FROM readable WHERE is_reading AND meter_text IS NULL
  UNION ALL SELECT rec, 'INVALID_METER_VALUE' FROM readable
            WHERE is_reading AND meter_text IS NOT NULL
              AND (plain IS NULL OR m = 'Energy.Active.Import.Register' AND plain LIKE '-%'
                   OR u = 'Percent' AND NOT CAST(plain AS REAL) BETWEEN 0 AND 100)
  UNION ALL SELECT rec, 'UNKNOWN_UNIT' FROM readable WHERE is_reading AND meter_text IS NOT NULL AND unit_bad
  UNION ALL SELECT rec, 'INVALID_CONNECTOR_ID' FROM readable
            WHERE connector IS NOT NULL AND coalesce(connector_no, -1) NOT BETWEEN 0 AND 2147483647
               OR evse IS NOT NULL AND coalesce(evse_no, -1) NOT BETWEEN 0 AND 2147483647
               OR connector IS NULL AND type = 'StatusNotification'
               OR connector_no = 0 AND type = 'StartTransaction'
  UNION ALL SELECT rec, 'UNKNOWN_STATUS' FROM readable WHERE type = 'StatusNotification' AND status IS NULL
)
SELECT DISTINCT b.rec, r.rank, b.code FROM broken AS b JOIN reject AS r USING (code);

CREATE TABLE flag AS
WITH coerced(rec) AS (
  SELECT rec FROM val WHERE type = 'text' AND kind = 'number'
  UNION SELECT rec FROM val WHERE type = 'int' AND kind = 'string'
  UNION SELECT rec FROM val WHERE type IN ('int', 'digits', 'text_or_int') AND kind = 'number'
                              AND digits_text(text) IS NULL
), raised(rec, rank, code) AS (
  SELECT rec, 0, 'TZ_ASSUMED' FROM metered WHERE us IS NOT NULL AND NOT ts_zone(ts)
  UNION ALL SELECT rec, 1, 'TS_FROM_INGEST' FROM metered WHERE ts_missing_ok
  UNION ALL SELECT rec, 2, 'CLOCK_UNSET' FROM metered WHERE clock = 'CLOCK_UNSET'
  UNION ALL SELECT rec, 3, 'FUTURE_TIMESTAMP' FROM metered WHERE clock = 'FUTURE_TIMESTAMP'
  UNION ALL SELECT rec, 4, 'CHARGE_POINT_FROM_KEY' FROM metered WHERE cp_from_key
  UNION ALL SELECT rec, 5, 'TYPE_COERCED' FROM coerced
  UNION ALL SELECT rec, 6, 'SHAPE_COERCED' FROM named WHERE recased
  UNION ALL SELECT rec, 7, 'UNKNOWN_ENUM' FROM enumerated AS e JOIN metered AS m USING (rec)
            WHERE e.value IS NULL AND NOT (e.kind = 'unit' AND m.header)
  UNION ALL SELECT rec, 8, 'UNIT_FOLDED' FROM metered WHERE unit_folded AND (is_reading OR header)
  UNION ALL SELECT rec, 9, 'PRECISION_LOST' FROM metered
            WHERE plain IS NOT NULL AND NOT milli_exact(plain)
              AND (header OR m = 'Energy.Active.Import.Register' AND p IS NULL AND l IN ('Outlet', 'Cable',
                  'Body'))
)
SELECT DISTINCT rec, rank, code FROM raised;

-- Events that may become Silver rows, with their keys.
CREATE TABLE event AS
SELECT k.*,
  CASE type
    WHEN 'StartTransaction' THEN CASE WHEN tx_usable
      THEN sha256(joined(type, cp_key, connector_no, tx_key))
      ELSE sha256(joined(type, cp_key, connector_no, key_ts, fixed3(meter_milli), id_tag_hash)) END
    WHEN 'StopTransaction' THEN CASE WHEN tx_usable
      THEN sha256(joined(type, cp_key, tx_key))
      ELSE sha256(joined(type, cp_key, connector_no, key_ts, fixed3(meter_milli), id_tag_hash)) END
    WHEN 'MeterValues' THEN CASE WHEN tx_usable
      THEN sha256(joined(type, cp_key, tx_key, key_ts, m, p, l, c, 0))
      ELSE sha256(joined(type, cp_key, evse_no, connector_no, key_ts, m, p, l, c, 0)) END
    WHEN 'StatusNotification' THEN sha256(joined(type, cp_key, evse_no, connector_no, status_shown, key_ts))
    ELSE sha256(joined(type, cp_key, key_ts)) END AS business_key,
  -- the values that copies are compared by
  CASE type
    WHEN 'StartTransaction' THEN meter_milli
    WHEN 'StopTransaction' THEN meter_milli
    WHEN 'MeterValues' THEN CASE WHEN meter_milli IS NOT NULL THEN meter_milli
      ELSE joined(CASE u WHEN 'kW' THEN dec(plain, 3) ELSE plain END,
                  CASE WHEN u IN ('Wh', 'kWh', 'MWh') THEN 'Wh' WHEN u = 'kW' THEN 'W' ELSE u END) END
    WHEN 'StatusNotification' THEN error_code END AS value1,
  CASE type WHEN 'StartTransaction' THEN id_tag_hash END AS value2
FROM (
  SELECT e.*, r.topic, r.partition, r."offset", r.digest, upper(cp) AS cp_key, upper(tx_id) AS tx_key,
    rfc3339(coalesce(us, ingest_us)) AS key_ts,
    CASE WHEN header THEN milli(plain)
         WHEN is_reading AND m = 'Energy.Active.Import.Register' AND p IS NULL AND l IN ('Outlet', 'Cable',
             'Body')
         THEN milli(plain) END AS meter_milli,
    CASE WHEN id_tag IS NOT NULL
         THEN hmac_sha256((SELECT value FROM setting WHERE name = 'id_tag_key'), lower(id_tag)) END
             AS id_tag_hash,
    coalesce(es.value, e.status) AS status_shown,
    coalesce(er.value, e.stop_reason) AS reason_shown,
    row_number() OVER (ORDER BY event_us, ingest_us, id, r.topic, r.partition, r."offset", r.digest) AS ord
  FROM metered AS e JOIN record AS r USING (rec)
  LEFT JOIN enumerated AS es ON es.rec = e.rec AND es.kind = 'status'
  LEFT JOIN enumerated AS er ON er.rec = e.rec AND er.kind = 'stop_reason'
  WHERE e.rec NOT IN (SELECT rec FROM violation)
) AS k;
)sql"
