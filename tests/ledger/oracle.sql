-- The ledger's balances and features of native accounts, told a second time from the domain page alone. `raw(topic, off,
-- payload, ingest)` holds the records, `p(as_of, known, at, known_at, clock)` the clocks in microseconds: of balances
-- (null: no bound), of features, and of the judgement. ratio6(n, d) is n / d with six places, ties to even; null for 0.

CREATE VIEW read AS SELECT off, topic, ingest,
    payload ->> 'event_id' AS id, payload ->> 'event_type' AS type, payload ->> 'ledger' AS ledger,
    payload ->> 'account_id' AS account, payload ->> 'account_version' AS version, payload ->> 'transfer_id' AS transfer,
    payload ->> 'leg' AS leg, payload ->> 'counterparty_account_id' AS other, payload ->> 'amount_minor' AS amount,
    payload ->> 'asset' AS asset, payload ->> 'reserved_transfer_id' AS reserved,
    payload ->> 'reverses_transfer_id' AS reverses, payload ->> 'normal_side' AS side,
    us(payload ->> 'effective_at') AS eff, us(payload ->> 'recorded_at') AS rec
  FROM (SELECT DISTINCT topic, off, payload, ingest FROM raw WHERE json_valid(payload) AND json_type(payload) = 'object')
  WHERE payload ->> 'event_type' IS NOT NULL;

CREATE VIEW sound AS SELECT * FROM read
  WHERE id IS NOT NULL AND account IS NOT NULL AND version IS NOT NULL
    AND type IN ('AccountOpened', 'TransferPosted', 'TransferReserved', 'TransferCaptured', 'TransferReleased',
                 'TransferReversed', 'AccountFrozen', 'AccountUnfrozen', 'AccountClosed')
    AND (amount IS NULL OR (amount <> '' AND amount NOT GLOB '*[^0-9]*'))
    AND (asset IS NULL OR asset IN ('EUR', 'USD', 'JPY', 'USDC/6'))
    AND (other IS NULL OR other <> account)
    AND (type NOT IN ('TransferPosted', 'TransferReserved', 'TransferCaptured', 'TransferReversed')
         OR (amount IS NOT NULL AND asset IS NOT NULL AND leg IS NOT NULL));

-- One row a version, once for what balances know (k = 0) and once for what features do (k = 1). Copies that do not
-- contradict each other fill each other's nulls, also where the copy is known only later.
CREATE TABLE version AS
WITH bound(k, known) AS (SELECT 0, known FROM p UNION ALL SELECT 1, known_at FROM p),
whole AS (
  SELECT ledger, account, version, max(other) AS other,
         count(DISTINCT type || eff) > 1 OR count(DISTINCT coalesce(leg, '') || coalesce(amount, '')) > 1
           OR count(DISTINCT asset) > 1 OR count(DISTINCT transfer) > 1 OR count(DISTINCT other) > 1
           OR count(DISTINCT reserved) > 1 OR count(DISTINCT reverses) > 1 OR count(DISTINCT side) > 1 AS contested
  FROM sound GROUP BY 1, 2, 3)
SELECT k, s.ledger, s.account, s.version, min(type) AS type, min(eff) AS eff, min(rec) AS rec, min(leg) AS leg,
       CAST(max(coalesce(amount, '0')) AS INTEGER) AS amount, max(asset) AS asset, max(transfer) AS transfer,
       CASE WHEN w.contested THEN max(s.other) ELSE w.other END AS other,
       max(reserved) AS reserved, max(reverses) AS reverses, max(side) AS side,
       count(DISTINCT type || eff) > 1 OR count(DISTINCT coalesce(leg, '') || coalesce(amount, '')) > 1
         OR count(DISTINCT asset) > 1 OR count(DISTINCT transfer) > 1 OR count(DISTINCT s.other) > 1
         OR count(DISTINCT reserved) > 1 OR count(DISTINCT reverses) > 1 OR count(DISTINCT side) > 1 AS contested
FROM bound, sound AS s JOIN whole AS w USING (ledger, account, version)
WHERE known IS NULL OR rec <= known
GROUP BY k, s.ledger, s.account, s.version;

CREATE TABLE fact AS SELECT *,
    type IN ('TransferPosted', 'TransferCaptured', 'TransferReversed') AS posts, type GLOB 'Transfer*' AS moves
  FROM version WHERE NOT contested;

CREATE TABLE account AS
WITH numbered AS (
  SELECT *, row_number() OVER w AS n, sum(contested) OVER w AS bad FROM version
  WINDOW w AS (PARTITION BY k, ledger, account ORDER BY version))
SELECT k, ledger, account, max(version) AS max_version,
       coalesce(max(version) FILTER (WHERE version = n AND bad = 0), 0) AS contiguous,
       max(version) - count(*) AS missing, sum(contested) AS contested,
       coalesce((SELECT side FROM fact AS f WHERE f.k = v.k AND f.ledger = v.ledger AND f.account = v.account
                 AND type = 'AccountOpened' AND side IS NOT NULL ORDER BY version LIMIT 1), 'C') AS side,
       NOT EXISTS (SELECT 1 FROM fact AS f WHERE f.k = v.k AND f.ledger = v.ledger AND f.account = v.account
                   AND type = 'AccountOpened' AND side IS NOT NULL) AS assumed,
       (SELECT min(version) FROM fact AS f WHERE f.k = v.k AND f.ledger = v.ledger AND f.account = v.account
        AND type = 'AccountClosed') AS closed
FROM numbered AS v GROUP BY k, ledger, account;

-- The rows there are to be, one an asset, or one without.
CREATE TABLE book AS
SELECT DISTINCT k, ledger, account, asset FROM fact WHERE moves AND asset IS NOT NULL
UNION ALL SELECT k, ledger, account, '' FROM account AS a WHERE NOT EXISTS (
  SELECT 1 FROM fact AS f WHERE f.k = a.k AND f.ledger = a.ledger AND f.account = a.account AND moves
    AND asset IS NOT NULL);

CREATE VIEW bounded AS  -- what is folded: balances up to as_of, features up to their instant
  SELECT f.*, CASE leg WHEN 'C' THEN amount ELSE -amount END * CASE a.side WHEN 'C' THEN 1 ELSE -1 END AS shown,
         a.contiguous
  FROM fact AS f JOIN account AS a USING (k, ledger, account), p
  WHERE CASE k WHEN 0 THEN as_of IS NULL OR eff <= as_of ELSE eff <= at END;

-- Reservations: closed by the first later capture or release that names them.
CREATE TABLE reserve AS SELECT r.*, NOT EXISTS (
    SELECT 1 FROM bounded AS c WHERE c.k = r.k AND c.ledger = r.ledger AND c.account = r.account
      AND c.reserved = r.transfer AND c.version > r.version
      AND c.type IN ('TransferCaptured', 'TransferReleased')) AS open
  FROM bounded AS r WHERE type = 'TransferReserved';

CREATE TABLE running AS
  SELECT ledger, account, asset, version, sum(shown) OVER (PARTITION BY ledger, account, asset ORDER BY version) AS posted
  FROM bounded WHERE k = 0 AND posts AND version <= contiguous;

-- How much of each leg is reversed: legs in the order of versions take from what was reversed of their side.
CREATE TABLE leg AS
WITH undone AS (
  SELECT k, ledger, account, reverses AS transfer, asset, CASE leg WHEN 'C' THEN 'D' ELSE 'C' END AS leg,
         sum(amount) AS amount
  FROM bounded WHERE type = 'TransferReversed' AND reverses IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6),
ranked AS (
  SELECT *, sum(amount) OVER (PARTITION BY k, ledger, account, transfer, asset, leg ORDER BY version) - amount AS before
  FROM bounded WHERE type IN ('TransferPosted', 'TransferCaptured'))
SELECT r.*, max(0, min(r.amount, coalesce(u.amount, 0) - before)) AS undone,
       EXISTS (SELECT 1 FROM bounded AS b WHERE b.k = r.k AND b.ledger = r.ledger AND b.account = r.account
               AND b.type = 'TransferReversed' AND b.reverses = r.transfer) AS reversed
FROM ranked AS r LEFT JOIN undone AS u
  ON u.k = r.k AND u.ledger = r.ledger AND u.account = r.account AND u.transfer = r.transfer AND u.asset = r.asset
 AND u.leg = r.leg;

CREATE TABLE unbalanced AS
SELECT ledger, transfer, type, asset FROM fact WHERE k = 0 AND moves AND transfer IS NOT NULL AND leg IS NOT NULL
GROUP BY 1, 2, 3, 4
HAVING (count(*) < 2 OR sum(CASE leg WHEN 'C' THEN amount ELSE -amount END) <> 0)
   AND max(rec) + 15 * 60 * 1000000 <= (SELECT clock FROM p);

-- Captures, each with what came before it under its reservation.
CREATE TABLE capture AS SELECT c.ledger, c.account, c.asset, c.version, c.amount,
    (SELECT max(version) FROM fact AS r WHERE r.k = 0 AND r.ledger = c.ledger AND r.account = c.account
     AND r.type = 'TransferReserved' AND r.transfer = c.reserved AND r.version < c.version) AS at,
    c.reserved
  FROM fact AS c WHERE k = 0 AND type = 'TransferCaptured';
CREATE TABLE captured AS SELECT c.*,
    EXISTS (SELECT 1 FROM fact AS o WHERE o.k = 0 AND o.ledger = c.ledger AND o.account = c.account
            AND o.type = 'TransferCaptured' AND o.reserved = c.reserved AND o.version > c.at AND o.version < c.version)
      AS again,
    EXISTS (SELECT 1 FROM fact AS o WHERE o.k = 0 AND o.ledger = c.ledger AND o.account = c.account
            AND o.type = 'TransferReleased' AND o.reserved = c.reserved AND o.version > c.at AND o.version < c.version)
      AS late,
    (SELECT c.amount > r.amount OR c.asset <> r.asset FROM fact AS r WHERE r.k = 0 AND r.ledger = c.ledger
     AND r.account = c.account AND r.version = c.at) AS more
  FROM capture AS c;

CREATE TABLE flag AS
SELECT ledger, account, asset, 'ASSET_CHANGED' AS code FROM book AS b WHERE k = 0 AND (
    SELECT count(*) FROM book AS o WHERE o.k = 0 AND o.ledger = b.ledger AND o.account = b.account) > 1
UNION SELECT ledger, account, asset, 'REPEATED_TRANSFER_LEG' FROM fact
  WHERE k = 0 AND moves AND transfer IS NOT NULL AND leg IS NOT NULL
  GROUP BY ledger, account, transfer, leg, type HAVING count(*) > 1
UNION SELECT f.ledger, f.account, f.asset, 'UNBALANCED_TRANSFER' FROM fact AS f JOIN unbalanced AS u
  ON u.ledger = f.ledger AND u.transfer = f.transfer AND u.type = f.type AND u.asset IS f.asset WHERE f.k = 0
UNION SELECT ledger, account, asset, 'CAPTURE_WITHOUT_RESERVE' FROM captured WHERE at IS NULL
UNION SELECT ledger, account, asset, 'DOUBLE_CAPTURE' FROM captured WHERE at IS NOT NULL AND again
UNION SELECT ledger, account, asset, 'CAPTURE_AFTER_RELEASE' FROM captured WHERE at IS NOT NULL AND late
UNION SELECT ledger, account, asset, 'CAPTURE_EXCEEDS_RESERVE' FROM captured
  WHERE at IS NOT NULL AND NOT again AND NOT late AND more
UNION SELECT ledger, account, asset, 'PARTIAL_REVERSAL' FROM leg WHERE k = 0 AND reversed AND transfer IS NOT NULL
  GROUP BY ledger, account, asset, transfer, leg HAVING sum(amount - undone) <> 0
UNION SELECT ledger, account, asset, 'VERSION_GAP' FROM book JOIN account USING (k, ledger, account)
  WHERE k = 0 AND missing > 0
UNION SELECT ledger, account, asset, 'VERSION_CONFLICT' FROM book JOIN account USING (k, ledger, account)
  WHERE k = 0 AND contested > 0
UNION SELECT f.ledger, f.account, f.asset, 'CLOSED_ACCOUNT_ACTIVITY' FROM fact AS f JOIN account USING (k, ledger, account)
  WHERE k = 0 AND posts AND version > closed
UNION SELECT ledger, account, asset, 'NORMAL_SIDE_ASSUMED' FROM book JOIN account USING (k, ledger, account)
  WHERE k = 0 AND assumed;

CREATE VIEW balances AS SELECT b.ledger, b.account AS account_id, nullif(b.asset, '') AS asset, a.side AS normal_side,
    debits_posted, credits_posted, debits_pending, credits_pending, balance_known, max_version, contiguous AS contiguous_version,
    (SELECT coalesce(sum(shown), 0) FROM bounded AS f WHERE f.k = 0 AND f.ledger = b.ledger AND f.account = b.account
     AND f.asset = b.asset AND posts AND version <= a.contiguous) AS balance_contiguous,
    (SELECT min(posted) FROM running AS r WHERE r.ledger = b.ledger AND r.account = b.account AND r.asset = b.asset)
      AS min_balance,
    (SELECT count(*) FROM running AS r WHERE r.ledger = b.ledger AND r.account = b.account AND r.asset = b.asset
     AND posted < 0) AS overdraft_events,
    (SELECT group_concat(code, ',') FROM (SELECT DISTINCT code FROM flag AS f WHERE f.ledger = b.ledger
     AND f.account = b.account AND f.asset = b.asset ORDER BY code)) AS flags,
    missing = 0 AND contested = 0 AND NOT EXISTS (SELECT 1 FROM flag AS f WHERE f.ledger = b.ledger
      AND f.account = b.account AND f.asset = b.asset
      AND code NOT IN ('ASSET_CHANGED', 'CLOSED_ACCOUNT_ACTIVITY', 'NORMAL_SIDE_ASSUMED')) AS balance_is_final
  FROM book AS b JOIN account AS a USING (k, ledger, account) JOIN (
    SELECT b.k, b.ledger, b.account, b.asset,
      coalesce(sum(amount) FILTER (WHERE posts AND leg = 'D'), 0) AS debits_posted,
      coalesce(sum(amount) FILTER (WHERE posts AND leg = 'C'), 0) AS credits_posted,
      coalesce((SELECT sum(amount) FROM reserve AS r WHERE r.k = b.k AND r.ledger = b.ledger AND r.account = b.account
        AND r.asset = b.asset AND open AND leg = 'D'), 0) AS debits_pending,
      coalesce((SELECT sum(amount) FROM reserve AS r WHERE r.k = b.k AND r.ledger = b.ledger AND r.account = b.account
        AND r.asset = b.asset AND open AND leg = 'C'), 0) AS credits_pending,
      coalesce(sum(shown) FILTER (WHERE posts), 0) AS balance_known
    FROM book AS b LEFT JOIN bounded AS f ON f.k = b.k AND f.ledger = b.ledger AND f.account = b.account
      AND f.asset = b.asset GROUP BY 1, 2, 3, 4) AS sums USING (k, ledger, account, asset)
  WHERE k = 0 ORDER BY 1, 2, 3;

-- ---- features ----

CREATE VIEW flow AS SELECT l.*, amount - undone AS rest FROM leg AS l WHERE k = 1 AND (undone = 0 OR undone < amount);

CREATE TABLE span(name, us);
INSERT INTO span VALUES ('1d', 86400000000), ('7d', 604800000000), ('30d', 2592000000000);

CREATE TABLE sums AS SELECT b.ledger, b.account, b.asset, name, count(f.version) AS n,
    coalesce(sum(rest) FILTER (WHERE leg = 'C'), 0) AS credit, coalesce(sum(rest) FILTER (WHERE leg = 'D'), 0) AS debit,
    count(*) FILTER (WHERE leg = 'D') AS debits, max(rest) FILTER (WHERE leg = 'D') AS largest,
    count(*) FILTER (WHERE leg = 'D' AND rest % (CASE f.asset WHEN 'JPY' THEN 10 WHEN 'USDC/6' THEN 10000000 ELSE 1000 END)
                     = 0) AS round,
    count(DISTINCT other) AS others
  FROM book AS b, span, p LEFT JOIN flow AS f ON f.ledger = b.ledger AND f.account = b.account AND f.asset = b.asset
    AND f.eff <= at AND f.eff > at - span.us
  WHERE b.k = 1 GROUP BY 1, 2, 3, 4;

-- B(t) in steps: from each instant of a posting, or the beginning of the month, to the next.
CREATE TABLE step AS
WITH instant AS (
  SELECT b.ledger, b.account, b.asset, at - 2592000000000 AS t FROM book AS b, p WHERE k = 1
  UNION SELECT f.ledger, f.account, f.asset, eff FROM bounded AS f, p WHERE k = 1 AND posts AND eff > at - 2592000000000)
SELECT i.*, coalesce(lead(t) OVER (PARTITION BY ledger, account, asset ORDER BY t), (SELECT at FROM p)) - t AS us,
  (SELECT coalesce(sum(shown), 0) FROM bounded AS f WHERE f.k = 1 AND f.ledger = i.ledger AND f.account = i.account
   AND f.asset = i.asset AND posts AND eff <= t) AS balance
FROM instant AS i;

CREATE VIEW features AS SELECT b.ledger, b.account AS account_id, nullif(b.asset, '') AS asset,
    d.n AS txn_count_1d, w.n AS txn_count_7d, m.n AS txn_count_30d,
    d.credit AS credit_sum_1d, w.credit AS credit_sum_7d, m.credit AS credit_sum_30d,
    d.debit AS debit_sum_1d, w.debit AS debit_sum_7d, m.debit AS debit_sum_30d,
    d.credit - d.debit AS net_flow_1d, w.credit - w.debit AS net_flow_7d, m.credit - m.debit AS net_flow_30d,
    ratio6(m.debit, m.debits) AS avg_debit_30d, m.largest AS max_debit_30d, m.others AS distinct_counterparties_30d,
    (SELECT ratio6(count(*) FILTER (WHERE NOT seen), count(*)) FROM (
       SELECT DISTINCT other, EXISTS (SELECT 1 FROM flow AS o WHERE o.ledger = f.ledger AND o.account = f.account
           AND o.asset = f.asset AND o.other = f.other AND o.eff <= at - 604800000000
           AND o.eff > at - 604800000000 - 7776000000000) AS seen
       FROM flow AS f WHERE f.ledger = b.ledger AND f.account = b.account AND f.asset = b.asset AND other IS NOT NULL
         AND eff <= at AND eff > at - 604800000000)) AS new_counterparty_ratio_7d,
    ratio6(d.n * 30, m.n) AS velocity_ratio,
    ratio6(min(d.credit, d.debit), max(d.credit, d.debit)) AS pass_through_ratio_1d,
    (SELECT ratio6(count(DISTINCT transfer) FILTER (WHERE reversed),
                   count(DISTINCT transfer) + count(*) FILTER (WHERE transfer IS NULL))
     FROM leg AS l WHERE l.k = 1 AND l.ledger = b.ledger AND l.account = b.account AND l.asset = b.asset
       AND eff > at - 2592000000000) AS reversal_ratio_30d,
    ratio6(m.round, m.debits) AS round_amount_ratio_30d,
    (SELECT twab(sum(balance * (us / 1000000)), sum(balance * (us % 1000000))) FROM step AS s
     WHERE s.ledger = b.ledger AND s.account = b.account AND s.asset = b.asset) AS twab_30d,
    (SELECT min(balance) FROM step AS s WHERE s.ledger = b.ledger AND s.account = b.account AND s.asset = b.asset)
      AS min_balance_30d,
    (SELECT ratio6(coalesce(sum(us) FILTER (WHERE balance < 0), 0), 1000000) FROM step AS s
     WHERE s.ledger = b.ledger AND s.account = b.account AND s.asset = b.asset) AS overdraft_seconds_30d,
    (SELECT (at - max(eff)) / 86400000000 FROM bounded AS f WHERE f.k = 1 AND f.ledger = b.ledger
     AND f.account = b.account AND f.asset = b.asset AND posts) AS days_since_last_activity,
    (SELECT ratio6(max(at - eff), 1000000) FROM reserve AS r WHERE r.k = 1 AND r.ledger = b.ledger
     AND r.account = b.account AND r.asset = b.asset AND open) AS pending_age_max_s,
    ratio6(contiguous, max_version) AS completeness
  FROM book AS b JOIN account USING (k, ledger, account)
    JOIN sums AS d ON d.ledger = b.ledger AND d.account = b.account AND d.asset = b.asset AND d.name = '1d'
    JOIN sums AS w ON w.ledger = b.ledger AND w.account = b.account AND w.asset = b.asset AND w.name = '7d'
    JOIN sums AS m ON m.ledger = b.ledger AND m.account = b.account AND m.asset = b.asset AND m.name = '30d', p
  WHERE b.k = 1 ORDER BY 1, 2, 3;
