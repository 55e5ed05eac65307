R"sql(
-- Settling: events -> epochs -> facts -> verdicts.
-- Source: the design, section 4; the charging domain, section 3.

-- Starts and stops of one (charge point, transaction), in the order they are walked through. At one instant
-- starts go first (pass 1), then stops (pass 2), then those starts whose epoch had a start from before that
-- instant (pass 3). At the end come the early stops (pass 4): those before every start, or before every start
-- on their own connector where there is one on it.
CREATE TABLE header AS
SELECT joined(cp_key, tx_key) AS unit, rec, type = 'StartTransaction' AS is_start, event_us AS ts, ord,
       connector_no AS connector, id_tag_hash AS tag, meter_milli AS meter
FROM event WHERE header AND tx_usable;

CREATE TABLE first_start AS
SELECT unit, connector, min(ts) AS ts FROM header WHERE is_start GROUP BY unit, connector;

CREATE TABLE slot AS
SELECT unit, row_number() OVER (PARTITION BY unit ORDER BY pass = 4, ts, pass, ord) AS i, pass, rec, is_start,
       ts, connector, tag, meter
FROM (
  SELECT h.*, NOT is_start AND coalesce(ts < coalesce(
      (SELECT f.ts FROM first_start AS f WHERE f.unit = h.unit AND f.connector = h.connector),
      (SELECT min(f.ts) FROM first_start AS f WHERE f.unit = h.unit)), 0) AS early
  FROM header AS h
) JOIN (SELECT 1 AS pass UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4)
  ON is_start = (pass IN (1, 3)) AND early = (pass = 4);

CREATE TABLE walk AS
WITH RECURSIVE step(unit, i, phase, pick, state) AS (
  SELECT DISTINCT unit, 0, 0, NULL, '{"e":[],"d":[]}' FROM slot
  UNION ALL
  SELECT w.unit, w.i + (w.phase = 0), w.phase = 0,
    CASE WHEN w.phase = 0 THEN CASE
      WHEN s.is_start THEN (
        SELECT CASE
          WHEN s.pass = 1 AND e.value ->> '$.b' < s.ts THEN -2
          WHEN s.pass = 3 AND NOT EXISTS (SELECT 1 FROM json_each(w.state, '$.d') AS d
              WHERE d.value = s.rec) THEN -4
          WHEN e.key IS NULL THEN -1
          WHEN e.value ->> '$.x' THEN -1
          WHEN s.ts - (e.value ->> '$.l') >= 86400000000 THEN -1
          ELSE e.key END
        FROM (SELECT 1) LEFT JOIN (
          SELECT key, value FROM json_each(w.state, '$.e')
          WHERE value ->> '$.c' IS NULL OR s.connector IS NULL OR value ->> '$.c' = s.connector
          ORDER BY key DESC LIMIT 1) AS e)
      WHEN json_array_length(w.state, '$.e') = 0 THEN -1
      ELSE (
        SELECT CASE WHEN count(*) = 1 THEN max(key) ELSE -3 END
        FROM (
          SELECT key, rank() OVER (ORDER BY
                   coalesce(value ->> '$.c' = s.connector, 0) DESC,
                   CASE WHEN s.pass = 4 THEN -(value ->> '$.b') ELSE coalesce(value ->> '$.l', -9e18) END DESC,
                   coalesce(value ->> '$.t' = s.tag, 0) DESC,
                   coalesce(value ->> '$.m' <= s.meter, 0) DESC) AS r
          FROM json_each(w.state, '$.e')
        ) WHERE r = 1)
      END
    ELSE w.pick END,
    CASE WHEN w.phase = 0 THEN w.state
      WHEN w.pick = -2 THEN json_insert(w.state, '$.d[#]', s.rec)
      WHEN w.pick < -2 OR s.pass = 4 THEN w.state
      WHEN w.pick = -1 AND s.is_start THEN json_insert(w.state, '$.e[#]',
        json_object('c', s.connector, 'b', s.ts, 'l', s.ts, 'x', 0, 't', s.tag, 'm', s.meter))
      WHEN w.pick = -1 THEN json_insert(w.state, '$.e[#]',
        json_object('c', NULL, 'b', NULL, 'l', NULL, 'x', 0, 't', NULL, 'm', NULL))
      WHEN s.is_start THEN json_set(w.state,
        '$.e[' || w.pick || '].c', coalesce(w.state ->> ('$.e[' || w.pick || '].c'), s.connector),
        '$.e[' || w.pick || '].b', coalesce(w.state ->> ('$.e[' || w.pick || '].b'), s.ts),
        '$.e[' || w.pick || '].l', s.ts,
        '$.e[' || w.pick || '].t', coalesce(w.state ->> ('$.e[' || w.pick || '].t'), s.tag),
        '$.e[' || w.pick || '].m', coalesce(w.state ->> ('$.e[' || w.pick || '].m'), s.meter))
      ELSE json_set(w.state, '$.e[' || w.pick || '].x',
                    w.state ->> ('$.e[' || w.pick || '].b') IS NOT NULL) END
  FROM step AS w JOIN slot AS s ON s.unit = w.unit AND s.i = w.i + (w.phase = 0)
)
SELECT unit, i, phase, pick, state FROM step;

CREATE TABLE epoch_of AS
SELECT s.rec, s.unit, s.is_start, s.ts, s.connector, s.tag, s.meter,
       CASE WHEN w.pick = -1 THEN json_array_length(w.state, '$.e') WHEN w.pick >= 0 THEN w.pick END AS epoch
FROM walk AS w JOIN slot AS s USING (unit, i)
WHERE w.phase = 1 AND w.pick NOT IN (-2, -4);

-- A fact: normally all that share a business key; of starts and stops all of one epoch.
CREATE TABLE member AS
SELECT e.rec, e.ord, e.id, e.value1, e.value2, p.unit, p.epoch,
  CASE WHEN p.rec IS NULL THEN e.business_key
       WHEN p.epoch IS NULL THEN joined('by itself', p.unit, p.ts, p.connector, p.tag, p.meter)
       ELSE joined(e.type, p.unit, p.epoch) END AS fact
FROM event AS e LEFT JOIN epoch_of AS p USING (rec);

CREATE TABLE fact AS
SELECT fact, min(ord) AS winner_ord,
       min(CASE WHEN value1 IS NOT NULL THEN ord END) AS value1_ord,
       min(CASE WHEN value2 IS NOT NULL THEN ord END) AS value2_ord
FROM member GROUP BY fact;

CREATE TABLE settled_fact AS
SELECT f.fact, w.rec AS winner, v1.value1, v1.rec AS value1_rec, v2.value2, v2.rec AS value2_rec
FROM fact AS f JOIN event AS w ON w.ord = f.winner_ord
LEFT JOIN event AS v1 ON v1.ord = f.value1_ord
LEFT JOIN event AS v2 ON v2.ord = f.value2_ord;

CREATE TABLE judged AS
SELECT m.rec, m.fact, m.ord, m.id, f.winner, m.rec = f.winner AS wins,
       coalesce(m.value1 <> f.value1, 0) OR coalesce(m.value2 <> f.value2, 0) AS differs
FROM member AS m JOIN settled_fact AS f USING (fact);

CREATE TABLE contested AS
SELECT DISTINCT fact FROM judged WHERE differs;

-- The earliest instant at which a fact was known to be contested.
CREATE TABLE known_contested AS
SELECT j.fact, min(max(m.ingest_us, w.ingest_us)) AS us
FROM judged AS j JOIN event AS m ON m.rec = j.rec JOIN event AS w ON w.rec = j.winner
WHERE j.differs GROUP BY j.fact;

CREATE TABLE verdict AS
SELECT j.rec, j.fact, j.winner,
  CASE WHEN differs OR (SELECT value FROM setting WHERE name = 'contest_all') AND fact IN (SELECT fact
      FROM contested)
         THEN 'conflict'
       WHEN wins THEN 'silver'
       WHEN min(CASE WHEN NOT differs THEN ord END) OVER (PARTITION BY fact, id) < ord
           THEN 'technical_duplicate'
       ELSE 'business_duplicate' END AS fate
FROM judged AS j;

CREATE TABLE fate AS
SELECT r.rec, CASE WHEN v.fate IS NULL OR v.fate = 'conflict' THEN 'quarantined' ELSE v.fate END AS fate,
       coalesce(r.ingest_ts, (SELECT t.ingest_us FROM timed AS t WHERE t.rec = r.rec)) AS ingest_us
FROM record AS r LEFT JOIN verdict AS v USING (rec);
)sql"
