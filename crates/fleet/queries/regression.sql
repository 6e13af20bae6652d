-- Sites that allocate more in the new version. Per million bytes of the service, so that load and time do not matter; and per request, where
-- requests are known of all processes.
WITH seen AS (
  SELECT service, version, MIN(start_time) AS first_seen FROM runs GROUP BY service, version
),
ranked AS (
  SELECT service, version, ROW_NUMBER() OVER (PARTITION BY service ORDER BY first_seen DESC, version DESC) AS recency FROM seen
),
chosen AS (
  SELECT ranked.service, ranked.version,
    CASE WHEN ranked.version = asked.after_version OR (asked.after_version IS NULL AND recency = 1) THEN 1 ELSE 0 END AS is_after
  FROM ranked CROSS JOIN asked
  WHERE ranked.version = asked.after_version OR (asked.after_version IS NULL AND recency = 1)
    OR ranked.version = asked.before_version OR (asked.before_version IS NULL AND recency = 2)
),
compared AS (
  SELECT runs.service, runs.run_id, runs.date, chosen.is_after, runs.bytes, runs.requests
  FROM runs JOIN chosen ON chosen.service = runs.service AND chosen.version = runs.version
),
wholes AS (
  SELECT service,
    CAST(SUM(CASE WHEN is_after = 0 THEN bytes END) AS DOUBLE) AS old_whole,
    CAST(SUM(CASE WHEN is_after = 1 THEN bytes END) AS DOUBLE) AS new_whole,
    CAST(SUM(CASE WHEN is_after = 0 THEN requests END) AS DOUBLE) AS old_requests,
    CAST(SUM(CASE WHEN is_after = 1 THEN requests END) AS DOUBLE) AS new_requests
  FROM compared GROUP BY service
),
sums AS (
  SELECT counts.service, counts.site,
    SUM(CAST(CASE WHEN compared.is_after = 0 THEN counts.bytes ELSE 0 END AS DECIMAL(28,0))) AS old_bytes,
    SUM(CAST(CASE WHEN compared.is_after = 1 THEN counts.bytes ELSE 0 END AS DECIMAL(28,0))) AS new_bytes,
    SUM(CASE WHEN compared.is_after = 1 THEN counts.objects ELSE 0 END) AS new_objects
  FROM counts JOIN compared ON compared.run_id = counts.run_id AND compared.date = counts.date AND compared.service = counts.service
  GROUP BY counts.service, counts.site
),
changes AS (
  SELECT sums.service, sums.site, sums.new_bytes, sums.new_objects,
    CAST(FLOOR(CAST(old_bytes AS DOUBLE) * 1000000.0E0 / old_whole + 0.5E0) AS BIGINT) AS old_per_million,
    CAST(FLOOR(CAST(new_bytes AS DOUBLE) * 1000000.0E0 / new_whole + 0.5E0) AS BIGINT) AS new_per_million,
    CAST(FLOOR(CAST(old_bytes AS DOUBLE) / old_requests + 0.5E0) AS BIGINT) AS old_per_request,
    CAST(FLOOR(CAST(new_bytes AS DOUBLE) / new_requests + 0.5E0) AS BIGINT) AS new_per_request
  FROM sums JOIN wholes ON wholes.service = sums.service
  WHERE old_whole > 0 AND new_whole > 0
),
worst AS (
  SELECT *, ROW_NUMBER() OVER (ORDER BY new_per_million - old_per_million DESC, service, site) AS place
  FROM changes WHERE new_per_million > old_per_million
),
named AS (
  SELECT site, ANY_VALUE(class) AS class, ANY_VALUE(method) AS method, MAX(line) AS line, ANY_VALUE(type) AS type
  FROM sites WHERE site IN (SELECT site FROM worst WHERE place <= 1000) GROUP BY site
)
SELECT worst.service, named.class, named.method, named.line, named.type,
  old_per_million, new_per_million, old_per_request, new_per_request,
  CAST(new_objects AS BIGINT) AS new_objects, CAST(new_bytes AS BIGINT) AS new_bytes
FROM worst JOIN named ON named.site = worst.site
WHERE place <= 1000
ORDER BY place
