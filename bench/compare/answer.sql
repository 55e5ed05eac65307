-- The answer, read from the tables of sessions.sql: names and values as medallion_side.cc prints them. A set of texts
-- is told by its SHA-256 digests: their first 60 bits, summed modulo 2^64.
SELECT * FROM (
  SELECT count(*) + (SELECT count(*) FROM audit) + (SELECT count(*) FROM quarantine) AS events,
    count(*) AS silver,
    (SELECT count(*) FROM audit WHERE duplicate_type = 'TECHNICAL') AS technical_duplicates,
    (SELECT count(*) FROM audit WHERE duplicate_type = 'BUSINESS') AS business_duplicates,
    (SELECT count(*) FROM quarantine) AS quarantined,
    (SELECT count(*) FROM quarantine WHERE violation = 'CONFLICT') AS conflicts,
    sum(meter_mwh) AS silver_meter_mwh,
    sum(('0x' || key[1:15])::UBIGINT) % 18446744073709551616 AS silver_keys
  FROM event
), (
  SELECT count(*) AS sessions,
    count(*) FILTER (session_status = 'COMPLETED') AS sessions_completed,
    count(*) FILTER (energy_is_final) AS sessions_final,
    coalesce(sum(energy_wh) FILTER (energy_is_final), 0) AS energy_final_wh,
    coalesce(sum(energy_wh) FILTER (NOT energy_is_final), 0) AS energy_provisional_wh,
    sum(('0x' || sha256(concat(
      session_id, '|', strftime(start_ts, '%Y-%m-%dT%H:%M:%S.%fZ'), '|',
      strftime(stop_ts, '%Y-%m-%dT%H:%M:%S.%fZ'), '|', (energy_wh * 0.001)::DECIMAL(18, 3), '|', session_status, '|',
      energy_is_final, '|', event_count))[1:15])::UBIGINT) % 18446744073709551616 AS session_rows
  FROM session
);
