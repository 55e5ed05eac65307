-- Positions and concentration of each mint from the Silver tables, as the domain page defines them (5), written for
-- reading, not for speed. ?1 is the data clock.
WITH
pools(mint, address) AS (
  SELECT mint, pool_address FROM silver_trades WHERE event_ts <= ?1 AND pool_address IS NOT NULL
  UNION SELECT mint, pool_address FROM silver_pools WHERE event_ts <= ?1 AND pool_address IS NOT NULL
  UNION SELECT mint, pool_address FROM silver_launchpad_events WHERE event_ts <= ?1 AND pool_address IS NOT NULL),
-- What left or came to a pool, and whose it was.
legs(mint, signature, pool, wallet, leaves, amount) AS (
  SELECT mint, signature, pool_address, trader, side = 'buy', CAST(token_amount AS INTEGER)
  FROM silver_trades WHERE event_ts <= ?1
  UNION ALL
  SELECT mint, signature, pool_address, trader, action = 'remove', ifnull(CAST(token_amount AS INTEGER), 0)
  FROM silver_pools WHERE event_ts <= ?1 AND action IN ('add', 'remove')),
-- Of transfers that say the same, so many only repeat legs.
leg_counts AS (
  SELECT mint, signature, iif(leaves, pool, wallet) AS "from", iif(leaves, wallet, pool) AS "to", amount, count(*) AS legs
  FROM legs GROUP BY 1, 2, 3, 4, 5),
numbered AS (
  SELECT mint, signature, "from", "to", CAST(amount AS INTEGER) AS amount,
         row_number() OVER (PARTITION BY mint, signature, "from", "to", amount) AS number
  FROM silver_transfers WHERE event_ts <= ?1),
moves AS (
  SELECT n.* FROM numbered n LEFT JOIN leg_counts l
    ON (l.mint, l.signature, l."from", l."to", l.amount) = (n.mint, n.signature, n."from", n."to", n.amount)
  WHERE n.number > ifnull(l.legs, 0)),
deltas(mint, address, delta) AS (
  SELECT mint, wallet, iif(leaves, amount, -amount) FROM legs WHERE wallet IS NOT NULL
  UNION ALL SELECT mint, "from", -amount FROM moves WHERE "from" IS NOT NULL
  UNION ALL SELECT mint, "to", amount FROM moves WHERE "to" IS NOT NULL),
net AS (
  SELECT d.mint, d.address, sum(delta) AS net FROM deltas d LEFT JOIN pools p ON p.mint = d.mint AND p.address = d.address
  WHERE p.address IS NULL GROUP BY d.mint, d.address),
holders AS (
  SELECT mint, net, row_number() OVER (PARTITION BY mint ORDER BY net DESC, address) AS place FROM net
  WHERE net > 0 AND address <> '1nc1nerator11111111111111111111111111111111')
SELECT g.mint,
       (SELECT ifnull(sum(net), 0) FROM net n WHERE n.mint = g.mint) AS net_signed_total,
       (SELECT count(*) FROM holders h WHERE h.mint = g.mint) AS holders,
       (SELECT ifnull(sum(net), 0) FROM holders h WHERE h.mint = g.mint) AS circulating,
       (SELECT ifnull(sum(net), 0) FROM holders h WHERE h.mint = g.mint AND place <= 1) AS top1,
       (SELECT ifnull(sum(net), 0) FROM holders h WHERE h.mint = g.mint AND place <= 10) AS top10,
       (SELECT ifnull(sum(net), 0) FROM net n WHERE n.mint = g.mint
          AND address = '1nc1nerator11111111111111111111111111111111')
       + (SELECT ifnull(sum(amount), 0) FROM moves m WHERE m.mint = g.mint AND m."to" IS NULL) AS burned
FROM gold_token_risk g
