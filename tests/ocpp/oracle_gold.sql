R"sql(
-- The other Gold tables of the charging domain, section 4, as canonical text; columns named _x are for the comparison
-- only. Every transaction stands alone here, so nothing is superseded and no energy is unattributed.

-- Status: of several rows at one instant the last counts.
CREATE TABLE notice AS
SELECT *, row_number() OVER w AS n, lag(status) OVER w IS NOT status OR lag(error_code) OVER w IS NOT error_code
       OR row_number() OVER w = 1 AS begins
FROM (
  SELECT e.rec, e.cp, e.cp_key, joined(e.cp_key, e.evse_no, e.connector_no) AS place, e.evse_no, e.connector_no,
         e.status_shown AS status, f.value1 AS error_code, e.event_us AS us, e.ingest_us, e.business_key,
         row_number() OVER (PARTITION BY e.cp_key, e.evse_no, e.connector_no, e.event_us
           ORDER BY e.ingest_us DESC, e.topic DESC, e.partition DESC, e."offset" DESC, e.digest DESC) AS from_last
  FROM event AS e JOIN verdict AS v USING (rec) JOIN settled_fact AS f ON f.fact = v.fact
  WHERE v.fate = 'silver' AND e.type = 'StatusNotification'
) WHERE from_last = 1
WINDOW w AS (PARTITION BY place ORDER BY us);

CREATE TABLE state AS
SELECT place, period, min(cp) AS cp, max(evse_no) AS evse_no, max(connector_no) AS connector_no,
       max(status) AS status, max(error_code) AS error_code, min(us) AS from_us, max(ingest_us) AS ingest_us,
       min(n) AS first_n, max(n) AS last_n
FROM (SELECT *, sum(begins) OVER (PARTITION BY place ORDER BY us) AS period FROM notice)
GROUP BY place, period;

-- A period is derived from its own rows and from those beside it.
CREATE TABLE bounded_state AS
SELECT s.*, a.us AS to_us,
       max(s.ingest_us, coalesce(b.ingest_us, s.ingest_us), coalesce(a.ingest_us, s.ingest_us)) AS updated_us
FROM state AS s
LEFT JOIN notice AS b ON b.place = s.place AND b.n = s.first_n - 1
LEFT JOIN notice AS a ON a.place = s.place AND a.n = s.last_n + 1;

CREATE VIEW gold_connector_status_history AS
SELECT cp AS charge_point_id, evse_no AS evse_id, connector_no AS connector_id, status AS connector_status, error_code,
       rfc3339(from_us) AS valid_from, rfc3339(to_us) AS valid_to, rfc3339(updated_us) AS updated_at
FROM bounded_state;

-- Copies of the rows of the last period confirm it, too.
CREATE TABLE confirmed AS
SELECT s.place, max(e.ingest_us) AS us
FROM bounded_state AS s JOIN notice AS x ON x.place = s.place AND x.n BETWEEN s.first_n AND s.last_n
JOIN event AS e ON e.business_key = x.business_key JOIN verdict AS v ON v.rec = e.rec
WHERE s.to_us IS NULL AND v.fate <> 'conflict'
GROUP BY s.place;

CREATE VIEW gold_connector_current_status AS
SELECT s.cp AS charge_point_id, s.evse_no AS evse_id, s.connector_no AS connector_id, s.status AS connector_status,
       s.error_code, rfc3339(s.from_us) AS since_ts, rfc3339(c.us) AS last_confirmed_ts,
       rfc3339(max(s.updated_us, c.us)) AS updated_at
FROM bounded_state AS s JOIN confirmed AS c USING (place) WHERE s.to_us IS NULL;

-- Meter intervals: between the readings that count, not where they say the same of one instant.
CREATE TABLE interval AS
SELECT s.sess, s.k, x.session_id, s.us - s.gap_us AS from_us, s.us AS to_us, s.delta, s.gap_us, i.ingest_us,
       max(i.ingest_us, h.ingest_us) AS updated_us
FROM series AS s JOIN session AS x USING (sess)
JOIN (SELECT q.sess, q.k, e.ingest_us FROM series AS q JOIN session AS x USING (sess) JOIN event AS e ON e.rec =
        CASE q.place WHEN 1 THEN CASE WHEN x.begin_by_sample THEN x.begin_rec ELSE x.start_rec END
                     WHEN 2 THEN q.rec ELSE x.stop_rec END) AS i ON i.sess = s.sess AND i.k = s.k
JOIN (SELECT q.sess, q.k, e.ingest_us FROM series AS q JOIN session AS x USING (sess) JOIN event AS e ON e.rec =
        CASE q.place WHEN 1 THEN CASE WHEN x.begin_by_sample THEN x.begin_rec ELSE x.start_rec END
                     WHEN 2 THEN q.rec ELSE x.stop_rec END) AS h ON h.sess = s.sess AND h.k = s.k - 1
WHERE s.delta <> 0 OR s.gap_us <> 0;

CREATE VIEW gold_meter_intervals AS
SELECT session_id, rfc3339(from_us) AS from_ts, rfc3339(to_us) AS to_ts,
  CASE WHEN delta >= 0 THEN fixed3(delta) END AS energy_wh,
  CASE WHEN delta >= 0 AND gap_us > 0
    THEN fixed3((delta * 3600 / gap_us) * 1000000
                + (2 * (delta * 3600 % gap_us) * 1000000 + gap_us) / (2 * gap_us)) END AS avg_power_w,
  CASE WHEN delta < 0 AND gap_us < 0 THEN '["NEGATIVE_DELTA","NEGATIVE_DURATION"]'
       WHEN delta < 0 THEN '["NEGATIVE_DELTA"]' WHEN gap_us < 0 THEN '["NEGATIVE_DURATION"]' ELSE '[]' END AS flags,
  rfc3339(updated_us) AS updated_at
FROM interval WHERE sess NOT IN (SELECT sess FROM odd_series);

-- Days, in UTC. Those with a session that only the analysis of its registers opens are not certain.
CREATE TABLE day_session AS
SELECT g.*, s.cp_key, substr(rfc3339(coalesce(s.start_us, s.stop_us, s.last_us)), 1, 10) AS day
FROM gold_charging_sessions AS g JOIN session AS s USING (session_id);

CREATE TABLE day AS
SELECT cp_key, day, min(charge_point_id) AS cp, sum(start_ts IS NOT NULL) AS started,
  sum(session_status = 'COMPLETED') AS completed, sum(session_status = 'TIMED_OUT') AS timed_out,
  sum(session_status = 'START_MISSING') AS start_missing,
  sum(CASE WHEN energy_is_final = 'true' THEN milli(energy_kwh) ELSE 0 END) AS final,
  sum(CASE WHEN energy_is_final = 'false' THEN coalesce(milli(energy_kwh), 0) ELSE 0 END) AS provisional,
  sum(coalesce(duration_seconds, 0)) AS occupied,
  sum(CASE WHEN session_status = 'COMPLETED' THEN duration_seconds END) AS lasted,
  count(CASE WHEN session_status = 'COMPLETED' THEN duration_seconds END) AS lasting,
  max(count(DISTINCT CASE WHEN evse_id IS NOT NULL OR connector_id IS NOT NULL
    THEN joined(evse_id, connector_id) END), 1) AS connectors,
  max(updated_at) AS updated_at, max(_odd_series) AS odd, max(_opened_by_odd_series) AS uncertain
FROM day_session GROUP BY cp_key, day;

CREATE VIEW gold_charging_stats_daily AS
SELECT cp AS charge_point_id, day AS stats_date, started AS sessions_started, completed AS sessions_completed,
  timed_out AS sessions_timed_out, start_missing AS sessions_start_missing, fixed3(final) AS energy_kwh_final,
  fixed3(provisional) AS energy_kwh_provisional,
  CASE WHEN lasting > 0 THEN fixed3((2000 * lasted + lasting) / (2 * lasting)) END AS avg_duration_seconds,
  '0.000' AS unattributed_energy_wh,
  printf('%d.%06d', share / 1000000, share % 1000000) AS utilization, updated_at,
  odd AS _odd_series, uncertain AS _uncertain
FROM (SELECT *, (2000000 * occupied + connectors * 86400) / (2 * connectors * 86400) AS share FROM day);

-- Health: of everything that came from the charge point.
CREATE TABLE sighting AS
SELECT r.rec, q.ingest_us, t.type, t.schema_no, CASE WHEN t.schema_no IS 1 THEN t.cp ELSE nullif(strip(r.key), '') END AS cp
FROM record AS r JOIN fate AS q USING (rec) LEFT JOIN metered AS t USING (rec)
WHERE r.direction = 'in';

CREATE VIEW gold_charge_point_health AS
SELECT cp AS charge_point_id, rfc3339(seen_us) AS last_seen_ts, rfc3339(beat_us) AS last_heartbeat_ts,
  CASE WHEN offline THEN 'true' ELSE 'false' END AS is_offline, '0.000' AS unattributed_energy_wh,
  CASE WHEN NOT offline THEN rfc3339(due_us) END AS next_due_at,
  max(rfc3339(seen_us), CASE WHEN offline THEN rfc3339(due_us) ELSE '' END, coalesce(day_updated_at, '')) AS updated_at,
  coalesce(uncertain, 0) AS _uncertain
FROM (
  SELECT s.*, s.seen_us + 600000000 AS due_us, (SELECT us FROM clock) >= s.seen_us + 600000000 AS offline,
    (SELECT max(updated_at) FROM day AS d WHERE d.cp_key = s.cp_key) AS day_updated_at,
    (SELECT max(uncertain) FROM day AS d WHERE d.cp_key = s.cp_key) AS uncertain
  FROM (SELECT upper(cp) AS cp_key, min(cp) AS cp, max(ingest_us) AS seen_us,
               max(CASE WHEN type = 'Heartbeat' AND schema_no IS 1 THEN ingest_us END) AS beat_us
        FROM sighting WHERE cp <> '' GROUP BY upper(cp)) AS s
);
)sql"
