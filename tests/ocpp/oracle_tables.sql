R"sql(
-- The tables of the charging domain, section 4, as canonical text. A view's name is the table's; columns
-- named _x are for the comparison only.

CREATE VIEW silver_charging_events AS
SELECT e.id AS event_id, e.business_key, e.cp AS charge_point_id, e.evse_no AS evse_id, e.connector_no
    AS connector_id,
  e.type AS event_type, rfc3339(e.event_us) AS event_ts,
  CASE WHEN e.us <> e.event_us THEN rfc3339(e.us) END AS reported_ts,
  substr(rfc3339(e.event_us), 1, 10) AS event_date, rfc3339(e.ingest_us) AS ingest_ts,
  e.tx_id AS transaction_id, e.seq AS seq_no, e.trigger_reason, e.charging_state,
  e.m AS measurand, e.p AS phase, e.l AS location, e.c AS context,
  CASE WHEN e.plain IS NOT NULL THEN e.meter_text END AS value,
  CASE WHEN e.plain IS NOT NULL THEN e.u END AS unit,
  fixed3(CASE WHEN e.header THEN f.value1 ELSE e.meter_milli END) AS meter_wh,
  NULL AS signed_value, e.status_shown AS connector_status,
  CASE WHEN e.type = 'StatusNotification' THEN f.value1 ELSE e.error_code END AS error_code,
  e.reason_shown AS stop_reason,
  CASE WHEN e.type = 'StartTransaction' THEN f.value2 ELSE e.id_tag_hash END AS id_tag_hash,
  e.offline, e.version AS ocpp_version, e.schema_no AS schema_version,
  x.fields AS extra_fields,
  (SELECT json_group_array(code) FROM (SELECT code FROM flag WHERE flag.rec = e.rec ORDER BY rank)) AS flags,
  e.topic AS bronze_topic, e.partition AS bronze_partition, e."offset" AS bronze_offset, 0 AS bronze_ordinal
FROM event AS e JOIN verdict AS v USING (rec) JOIN settled_fact AS f ON f.fact = v.fact
LEFT JOIN extra AS x ON x.rec = e.rec
WHERE v.fate = 'silver';

CREATE VIEW silver_quarantine_events AS
SELECT sha256(joined(r.topic, r.partition, r."offset", 0, r.digest)) AS quarantine_id,
  CASE WHEN v.fate IS NULL THEN nullif(r.payload, x'') END AS raw_payload,
  r.topic, r.partition, r."offset" AS "offset", 0 AS ordinal, r.key, rfc3339(r.broker_ts) AS broker_ts,
  rfc3339(q.ingest_us) AS ingest_ts, r.direction, r.version AS ocpp_version, r.connection_id,
  CASE WHEN t.schema_no IS 1 THEN t.cp ELSE nullif(strip(r.key), '') END AS charge_point_id,
  CASE WHEN v.fate = 'conflict' THEN '["CONFLICT"]' ELSE (
    SELECT json_group_array(code) FROM (SELECT code FROM violation AS b WHERE b.rec = r.rec
        ORDER BY rank)) END
    AS violations,
  rfc3339(CASE
    WHEN v.fate IS NULL THEN q.ingest_us
    ELSE max(q.ingest_us, CASE WHEN (SELECT value FROM setting WHERE name = 'contest_all')
      THEN (SELECT us FROM known_contested AS k WHERE k.fact = v.fact)
      ELSE (SELECT o.ingest_us FROM fate AS o WHERE o.rec = v.winner) END) END) AS quarantined_at,
  'NEW' AS status, NULL AS repaired_payload, NULL AS reviewed_by
FROM record AS r JOIN fate AS q USING (rec) LEFT JOIN verdict AS v USING (rec) LEFT JOIN metered
    AS t USING (rec)
WHERE q.fate = 'quarantined';

CREATE VIEW silver_duplicate_events_audit AS
SELECT e.cp AS charge_point_id, e.id AS event_id, e.business_key,
  CASE v.fate WHEN 'technical_duplicate' THEN 'TECHNICAL' ELSE 'BUSINESS' END AS duplicate_type,
  w.id AS winner_event_id, w.topic AS winner_topic, w.partition AS winner_partition, w."offset"
      AS winner_offset,
  e.topic, e.partition, e."offset" AS "offset", 0 AS ordinal, rfc3339(e.ingest_us) AS ingest_ts
FROM verdict AS v JOIN event AS e USING (rec) JOIN event AS w ON w.rec = v.winner
WHERE v.fate IN ('technical_duplicate', 'business_duplicate');

CREATE VIEW silver_ignored AS
SELECT NULL AS topic, NULL AS partition, NULL AS "offset" WHERE 0;

CREATE VIEW accounting_by_fate AS SELECT fate, count(*) AS count FROM fate GROUP BY fate;
CREATE VIEW accounting_by_hour AS
SELECT substr(rfc3339(ingest_us), 1, 13) || ':00:00.000000Z' AS hour, fate, count(*) AS count
FROM fate GROUP BY hour, fate;

CREATE VIEW coordinate AS
SELECT rec, json_object('topic', topic, 'partition', partition, 'offset', "offset", 'ordinal', 0)
    AS json FROM record;

CREATE VIEW gold_charging_sessions AS
SELECT s.session_id, s.cp AS charge_point_id,
  (SELECT evse_no FROM sess_row AS r WHERE r.sess = s.sess AND evse_no IS NOT NULL
   ORDER BY r.type <> 'StartTransaction', r.n LIMIT 1) AS evse_id,
  (SELECT connector_no FROM sess_row AS r WHERE r.sess = s.sess AND connector_no IS NOT NULL
   ORDER BY r.type <> 'StartTransaction', r.n LIMIT 1) AS connector_id,
  (SELECT tx_id FROM sess_row AS r WHERE r.sess = s.sess AND tx_usable ORDER BY r.n LIMIT 1)
      AS transaction_id,
  NULL AS transaction_aliases,
  (SELECT tag FROM sess_row AS r WHERE r.sess = s.sess AND tag IS NOT NULL
   ORDER BY r.type <> 'StartTransaction', r.n LIMIT 1) AS id_tag_hash,
  rfc3339(s.start_us) AS start_ts, rfc3339(s.stop_us) AS stop_ts, rfc3339(s.last_us) AS last_event_ts,
  CASE WHEN s.stop_us < s.start_us THEN NULL
       ELSE (coalesce(s.stop_us, s.last_us) - s.start_us) / 1000000 END AS duration_seconds,
  fixed3(s.begin_meter) AS meter_start_wh, fixed3(s.meter_stop) AS meter_stop_wh, fixed3(s.last_meter)
      AS last_meter_wh,
  fixed3(s.energy_wh) AS energy_kwh,
  CASE WHEN f.final THEN 'true' ELSE 'false' END AS energy_is_final,
  s.basis AS energy_basis,
  CASE WHEN NOT f.final AND s.readings >= 2 THEN fixed3((s.growth + 500) / 1000) END AS energy_estimate_kwh,
  s.status AS session_status, s.stop_reason, s.event_count,
  (SELECT json_group_array(code) FROM (SELECT code FROM session_flag AS g WHERE g.sess = s.sess
      ORDER BY rank))
    AS quality_flags,
  json_object(
    'begin', json((SELECT json FROM coordinate AS c WHERE c.rec = coalesce(s.begin_rec,
      CASE WHEN s.basis = 'BASELINE_INFERRED' THEN s.first_rec END))),
    'end', json((SELECT json FROM coordinate AS c WHERE c.rec = CASE s.basis
      WHEN 'START_LAST' THEN s.last_register_rec WHEN 'BASELINE_INFERRED' THEN s.last_rec
      ELSE s.meter_stop_rec END))) AS evidence,
  CASE WHEN s.status = 'IN_PROGRESS' THEN rfc3339(s.last_us + 86400000000) END AS next_due_at,
  rfc3339(max(s.ingest_us, coalesce(s.conflict_us, s.ingest_us),
              CASE WHEN s.status = 'TIMED_OUT' THEN s.last_us + 86400000000 ELSE s.ingest_us END))
                  AS updated_at,
  s.sess IN (SELECT sess FROM odd_series) AS _odd_series,
  s.sess IN (SELECT sess FROM odd_series) AND s.start_rec IS NULL AND s.stop_rec IS NULL AND NOT s.power
      AS _opened_by_odd_series
FROM session AS s JOIN (
  SELECT sess, coalesce(start_rec IS NOT NULL AND stop_rec IS NOT NULL
      AND (basis = 'START_STOP' OR basis = 'TRANSACTION_BEGIN_END' AND begin_by_sample AND stop_meter IS NULL)
      AND NOT EXISTS (SELECT 1 FROM session_flag AS g WHERE g.sess = session.sess AND blocking), 0) AS final
  FROM session) AS f USING (sess);
)sql"
