R"sql(
-- Deriving: Silver rows -> charging sessions. Source: the charging domain, sections 3 (identity) and 5.
-- Meters and energies are integers: thousandths of a watt hour.

CREATE TABLE clock AS
SELECT max(us) AS us FROM (
  SELECT ingest_ts AS us FROM delivery WHERE NOT coalesce(ingest_ts > broker_ts + 86400000000, 0)
  UNION ALL SELECT value FROM setting WHERE name = 'sweep_at'
);

-- Epochs: of each its start fact and what is known of it.
CREATE TABLE epoch AS
SELECT p.unit, p.epoch, w.event_us AS start_us, f.value1 AS meter, f.value2 AS tag,
       (SELECT q.connector FROM epoch_of AS q JOIN event AS e USING (rec)
        WHERE q.unit = p.unit AND q.epoch = p.epoch AND q.is_start AND q.connector IS NOT NULL
        ORDER BY e.ord LIMIT 1) AS connector
FROM (SELECT DISTINCT unit, epoch FROM epoch_of WHERE epoch IS NOT NULL) AS p
LEFT JOIN settled_fact AS f ON f.fact = joined('StartTransaction', p.unit, p.epoch)
LEFT JOIN event AS w ON w.rec = f.winner;

-- The session that a fact (its winner) belongs to. A reading joins, of several epochs, by known connector,
-- then the latest start at or before it (none: the earliest), tag, meter; still tied, or on connector 0:
-- none.
CREATE TABLE seat AS
WITH reading AS (
  SELECT e.*, joined(e.cp_key, e.tx_key) AS settling_unit FROM event AS e
  JOIN settled_fact AS f ON f.winner = e.rec
  WHERE e.is_reading AND e.tx_usable AND e.connector_no IS NOT 0
), ranked AS (
  SELECT r.rec, r.settling_unit AS unit, p.epoch, rank() OVER (PARTITION BY r.rec ORDER BY
    coalesce(p.connector = r.connector_no, 0) DESC,
    coalesce(CASE WHEN p.start_us <= r.event_us THEN p.start_us END, -9e18 - p.epoch * 1e12) DESC,
    coalesce(p.tag = r.id_tag_hash, 0) DESC,
    coalesce(p.meter <= r.meter_milli, 0) DESC) AS place
  FROM reading AS r LEFT JOIN epoch AS p ON p.unit = r.settling_unit
), chosen AS (
  SELECT rec, unit, CASE WHEN count(*) = 1 THEN coalesce(max(epoch), 0) END AS epoch, count(*) AS candidates
  FROM ranked WHERE place = 1 GROUP BY rec, unit
)
SELECT e.rec, f.fact, joined(p.unit, p.epoch) AS sess, p.epoch,
       CASE WHEN p.epoch IS NULL THEN f.fact END AS alone
FROM settled_fact AS f JOIN event AS e ON e.rec = f.winner JOIN epoch_of AS p ON p.rec = e.rec
UNION ALL
SELECT c.rec, f.fact, joined(c.unit, c.epoch), c.epoch, NULL
FROM chosen AS c JOIN settled_fact AS f ON f.winner = c.rec WHERE c.epoch IS NOT NULL
UNION ALL  -- facts without a usable id stay by themselves
SELECT e.rec, f.fact, e.business_key, NULL, e.business_key
FROM settled_fact AS f JOIN event AS e ON e.rec = f.winner
WHERE (e.header OR e.is_reading AND e.connector_no IS NOT 0) AND NOT e.tx_usable;
UPDATE seat SET sess = alone WHERE alone IS NOT NULL;

-- Rows of the sessions, in session order; a start or stop with its fact's values and where the reading is
-- from.
CREATE TABLE sess_row AS
SELECT t.sess, t.epoch, t.alone, e.*, meter,  tag, f_value1_rec AS meter_rec,
  row_number() OVER (PARTITION BY t.sess ORDER BY e.event_us, e.seq IS NULL, e.seq, meter IS NOT NULL, meter,
                     e.ingest_us, e.topic, e.partition, e."offset", e.digest) AS n
FROM (
  SELECT s.*, f.value1_rec AS f_value1_rec,
    CASE WHEN e.header THEN f.value1 ELSE e.meter_milli END AS meter,
    CASE WHEN e.type = 'StartTransaction' AND e.tx_usable THEN f.value2 ELSE e.id_tag_hash END AS tag
  FROM seat AS s JOIN settled_fact AS f USING (fact) JOIN event AS e ON e.rec = s.rec
) AS t JOIN event AS e USING (rec) JOIN verdict AS v USING (rec)
WHERE v.fate = 'silver';

CREATE TABLE sess AS
SELECT r.sess, max(r.epoch) AS epoch, max(r.alone) AS alone, min(r.cp) AS cp, max(r.cp_key) AS cp_key,
  max(r.tx_key) AS tx_key, max(r.event_us) AS last_us, count(*) AS event_count, max(r.ingest_us) AS ingest_us,
  max(CASE WHEN r.type = 'StartTransaction' THEN r.rec END) AS start_rec,
  max(CASE WHEN r.type = 'StartTransaction' THEN r.event_us END) AS start_us,
  max(CASE WHEN r.type = 'StartTransaction' THEN r.meter END) AS start_meter,
  max(CASE WHEN r.type = 'StartTransaction' THEN r.meter_rec END) AS start_meter_rec,
  max(CASE WHEN r.type = 'StopTransaction' THEN r.rec END) AS stop_rec,
  max(CASE WHEN r.type = 'StopTransaction' THEN r.event_us END) AS stop_us,
  max(CASE WHEN r.type = 'StopTransaction' THEN r.meter END) AS stop_meter,
  max(CASE WHEN r.type = 'StopTransaction' THEN r.meter_rec END) AS stop_meter_rec,
  max(CASE WHEN r.type = 'StopTransaction' THEN r.reason_shown END) AS stop_reason,
  max(r.ingest_us - r.event_us > 3600000000) AS late,
  max(r.is_reading AND r.m = 'Power.Active.Import' AND r.plain <> '0' AND r.plain NOT LIKE '-%') AS power
FROM sess_row AS r GROUP BY r.sess;

-- Registers inside the session.
CREATE TABLE register AS
SELECT r.sess, r.n, r.rec, r.event_us AS us, r.meter, r.c AS context, r.l AS location
FROM sess_row AS r JOIN sess AS s USING (sess)
WHERE r.is_reading AND r.meter IS NOT NULL
  AND r.event_us >= coalesce(s.start_us, r.event_us) AND r.event_us <= coalesce(s.stop_us, r.event_us);

-- The begin reading: the start's own, else the first sample with context Transaction.Begin.
CREATE TABLE sess_begin AS
SELECT s.*, b.rec AS begin_sample_rec, b.n AS begin_sample_n, s.start_meter IS NULL AND b.rec IS NOT NULL AS begin_by_sample,
       coalesce(s.start_meter, b.meter) AS begin_meter,
       CASE WHEN s.start_meter IS NOT NULL THEN s.start_meter_rec ELSE b.rec END AS begin_rec,
       CASE WHEN s.start_meter IS NOT NULL THEN s.start_us ELSE b.us END AS begin_us
FROM sess AS s
LEFT JOIN register AS b ON b.sess = s.sess AND b.n = (
  SELECT min(n) FROM register AS x WHERE x.sess = s.sess AND x.context = 'Transaction.Begin');

-- What may stand between begin and stop: no sample that repeats the begin, which noise does not tell apart.
CREATE TABLE between_reading AS
SELECT r.* FROM register AS r JOIN sess_begin AS s USING (sess)
WHERE r.rec IS NOT s.begin_sample_rec
  AND NOT (r.context = 'Transaction.Begin' AND coalesce(abs(r.meter - s.begin_meter) < 1000, 0));

-- The stop's own reading, judged. METER_STOP_INVALID: it cannot be. METER_DECREASED: below the begin.
CREATE TABLE sess_end AS
SELECT *, NOT stop_bad AND coalesce(stop_meter <= begin_meter - 1000, 0) AS stop_low
FROM (
  SELECT *, coalesce(stop_meter < 0
      OR stop_meter IN (2147483647000, 2147483648000, 4294967295000, 4294967296000)
      OR stop_meter = 0 AND (coalesce(begin_meter, 0) > 0 OR coalesce(register_max, 0) > 0)
      OR NOT coalesce(stop_us < start_us, 0)
         AND (stop_meter - prior_meter) * 3600 > 500000000 * (max(stop_us - prior_us, 60000000) / 1000000)
      OR stop_meter - begin_meter > 1000000000, 0) AS stop_bad
  FROM (
    SELECT s.*, (SELECT max(meter) FROM register AS x WHERE x.sess = s.sess) AS register_max,
      coalesce(b.meter, s.begin_meter) AS prior_meter, coalesce(b.us, s.begin_us) AS prior_us,
      l.meter AS last_register, l.rec AS last_register_rec, e.meter AS end_sample, e.rec AS end_sample_rec
    FROM sess_begin AS s
    LEFT JOIN between_reading AS l ON l.sess = s.sess AND l.n = (
      SELECT max(n) FROM between_reading AS x WHERE x.sess = s.sess)
    LEFT JOIN between_reading AS b ON b.sess = s.sess AND b.n = (  -- the one before a repetition of the stop
      SELECT max(n) FROM between_reading AS x WHERE x.sess = s.sess AND x.context <> 'Transaction.End')
    LEFT JOIN between_reading AS e ON e.sess = s.sess AND e.n = (
      SELECT max(n) FROM between_reading AS x WHERE x.sess = s.sess AND x.context = 'Transaction.End')
  )
);

-- The readings that count, in order: begin, registers, stop. A sample with Transaction.End only repeats the
-- stop's own reading.
CREATE TABLE series AS
SELECT sess, meter, us, rec, row_number() OVER (PARTITION BY sess ORDER BY place, n) AS k, place,
       meter - lag(meter) OVER w AS delta, us - lag(us) OVER w AS gap_us
FROM (
  SELECT sess, begin_meter AS meter, begin_us AS us, begin_rec AS rec, 1 AS place, 0 AS n FROM sess_end
  WHERE begin_meter IS NOT NULL
  UNION ALL SELECT r.sess, r.meter, r.us, r.rec, 2, r.n FROM between_reading AS r JOIN sess_end AS s USING (sess)
  WHERE NOT (r.context = 'Transaction.End' AND s.stop_meter IS NOT NULL AND NOT s.stop_bad AND NOT s.stop_low)
  UNION ALL SELECT sess, stop_meter, stop_us, stop_meter_rec, 3, 0 FROM sess_end
  WHERE stop_meter IS NOT NULL AND NOT stop_bad AND NOT stop_low
)
WINDOW w AS (PARTITION BY sess ORDER BY place, n);

CREATE TABLE series_sum AS
SELECT sess, count(*) AS readings, sum(max(coalesce(delta, 0), 0)) AS growth,
       min(delta) <= -1000 AS drops, max(CASE WHEN place = 2 AND delta * 3600 > 500000000 * (max(gap_us,
           60000000) / 1000000)
       THEN 1 ELSE 0 END) AS jumps, max(k) AS k_last, max(meter) - min(meter) AS spread
FROM series GROUP BY sess;

-- Sessions whose readings need the analysis of glitches, resets and references, which is not done here:
-- columns that rest on it are not compared.
CREATE TABLE odd_series AS
SELECT sess FROM series_sum WHERE drops OR jumps OR spread > 1000000000
UNION SELECT sess FROM sess_end
  WHERE begin_meter < 0 OR begin_meter IN (2147483647000, 2147483648000, 4294967295000, 4294967296000)
    OR stop_meter IS NULL AND stop_rec IS NOT NULL AND end_sample_rec <> last_register_rec
    OR abs(start_meter - (SELECT meter FROM register AS b WHERE b.rec = begin_sample_rec)) >= 1000
UNION SELECT sess FROM between_reading JOIN sess_end USING (sess)
  WHERE context = 'Transaction.End' AND abs(stop_meter - meter) >= 1000
UNION SELECT s.sess FROM sess AS s JOIN sess_row AS r USING (sess)  -- an end that may contradict the one chosen
  WHERE s.stop_rec IS NOT NULL AND s.stop_meter IS NULL AND r.is_reading AND r.meter IS NOT NULL
    AND r.c = 'Transaction.End' AND (r.event_us < s.start_us OR r.event_us > s.stop_us)
UNION SELECT sess FROM register GROUP BY sess HAVING count(DISTINCT location) > 1
UNION SELECT sess FROM sess_row WHERE is_reading
  AND (m = 'Energy.Active.Import.Interval' OR m = 'Energy.Active.Import.Register' AND p IS NOT NULL)
UNION SELECT s.sess FROM sess AS s JOIN series_sum AS g USING (sess)
  WHERE s.power AND g.growth >= 500000 AND coalesce(s.stop_us, s.last_us) - coalesce(s.start_us,
      0) >= 600000000;

CREATE TABLE sess_energy AS
SELECT *,
  CASE basis WHEN 'START_STOP' THEN meter_stop - begin_meter WHEN 'TRANSACTION_BEGIN_END'
      THEN meter_stop - begin_meter
    WHEN 'START_LAST' THEN last_register - begin_meter
    WHEN 'BASELINE_INFERRED' THEN last_meter - first_meter END AS energy
FROM (
  SELECT *,
    CASE WHEN begin_meter IS NOT NULL AND meter_stop IS NOT NULL
           THEN CASE WHEN begin_by_sample OR stop_meter IS NULL THEN 'TRANSACTION_BEGIN_END'
               ELSE 'START_STOP' END
         WHEN begin_meter IS NOT NULL AND last_register IS NOT NULL THEN 'START_LAST'
         WHEN begin_meter IS NULL AND readings >= 2 THEN 'BASELINE_INFERRED' END AS basis
  FROM (
    SELECT s.*, g.readings, g.growth, g.drops,
      CASE WHEN stop_meter IS NOT NULL THEN CASE WHEN NOT stop_bad AND NOT stop_low THEN stop_meter END
           WHEN stop_rec IS NOT NULL THEN end_sample END AS meter_stop,
      CASE WHEN stop_meter IS NOT NULL THEN CASE WHEN NOT stop_bad AND NOT stop_low THEN stop_meter_rec END
           WHEN stop_rec IS NOT NULL THEN end_sample_rec END AS meter_stop_rec,
      a.meter AS first_meter, a.rec AS first_rec, z.meter AS last_meter, z.rec AS last_rec
    FROM sess_end AS s LEFT JOIN series_sum AS g USING (sess)
    LEFT JOIN series AS a ON a.sess = s.sess AND a.k = 1
    LEFT JOIN series AS z ON z.sess = s.sess AND z.k = g.k_last
  )
);

CREATE TABLE sess_conflict AS
SELECT t.sess, max(e.ingest_us) AS ingest_us
FROM verdict AS v JOIN seat AS t USING (fact) JOIN event AS e ON e.rec = v.rec
WHERE v.fate = 'conflict' GROUP BY t.sess;

CREATE TABLE session AS
SELECT s.*,
  CASE WHEN s.alone = s.business_key THEN s.alone
       WHEN s.alone IS NOT NULL THEN sha256(joined(cp_key, tx_key, rfc3339(coalesce(start_us, stop_us,
           last_us))))
       WHEN s.epoch > 0 THEN sha256(joined(cp_key, tx_key, rfc3339(epoch_start_us)))
       ELSE sha256(joined(cp_key, tx_key)) END AS session_id,
  CASE WHEN start_rec IS NULL THEN 'START_MISSING'
       WHEN stop_rec IS NOT NULL THEN 'COMPLETED'
       WHEN timed_out THEN 'TIMED_OUT'
       ELSE 'IN_PROGRESS' END AS status,
  (energy + 500) / 1000 AS energy_wh  -- HALF_UP; an energy is not negative outside odd series
FROM (
  SELECT e.*, c.ingest_us AS conflict_us, p.start_us AS epoch_start_us,
    coalesce((SELECT us FROM clock) - last_us >= 86400000000, 0) AS timed_out,
    (SELECT business_key FROM sess_row AS r WHERE r.sess = e.sess AND r.n = 1) AS business_key
  FROM sess_energy AS e LEFT JOIN sess_conflict AS c USING (sess)
  LEFT JOIN epoch AS p ON joined(p.unit, p.epoch) = e.sess
) AS s
-- readings alone open a session only when their register grows or power is above zero
WHERE start_rec IS NOT NULL OR stop_rec IS NOT NULL OR power OR growth >= 1000;

CREATE TABLE seq_gap AS
SELECT DISTINCT sess FROM (
  SELECT sess, seq, lead(seq) OVER (PARTITION BY sess ORDER BY seq) AS next
  FROM (SELECT DISTINCT sess, seq FROM sess_row WHERE seq IS NOT NULL)
) WHERE next > seq + 1;

CREATE TABLE session_flag AS
WITH outside AS (
  SELECT DISTINCT r.sess FROM sess_row AS r JOIN session AS s USING (sess)
  WHERE r.is_reading AND (r.event_us < s.start_us OR r.event_us > s.stop_us)
), raised(sess, rank, code, blocking) AS (
  SELECT sess, 0, 'CONFLICT', 1 FROM session WHERE conflict_us IS NOT NULL
  UNION ALL SELECT sess, 1, 'METER_ANOMALY', 1 FROM session WHERE stop_bad OR stop_low
  UNION ALL SELECT sess, 2, 'METER_DECREASED', 1 FROM session WHERE stop_low
  UNION ALL SELECT sess, 3, 'METER_STOP_INVALID', 1 FROM session WHERE stop_bad
  UNION ALL SELECT sess, 4, 'NO_END_READING', 1 FROM session
            WHERE stop_rec IS NOT NULL AND stop_meter IS NULL AND end_sample IS NULL
  UNION ALL SELECT sess, 5, 'START_MISSING', 0 FROM session WHERE status = 'START_MISSING'
  UNION ALL SELECT sess, 6, 'STOP_MISSING', 0 FROM session WHERE status = 'TIMED_OUT'
  UNION ALL SELECT sess, 7, 'LATE_ARRIVAL', 0 FROM session WHERE late
  UNION ALL SELECT sess, 8, 'ZERO_ENERGY', 0 FROM session
            WHERE energy_wh = 0 AND (stop_rec IS NOT NULL OR timed_out)
  UNION ALL SELECT sess, 9, 'READING_OUTSIDE_SESSION', 0 FROM outside
  UNION ALL SELECT sess, 10, 'NEGATIVE_DURATION', 0 FROM session WHERE stop_us < start_us
  UNION ALL SELECT sess, 11, 'TX_ID_REUSED', 0 FROM session WHERE alone IS NULL AND epoch > 0
  UNION ALL SELECT sess, 12, 'SEQ_GAP', 0 FROM seq_gap JOIN session USING (sess)
  UNION ALL SELECT sess, 13, 'ID_TAG_MISMATCH', 0 FROM session WHERE (
    SELECT count(DISTINCT tag) FROM sess_row AS r WHERE r.sess = session.sess) > 1
)
SELECT * FROM raised;
)sql"
