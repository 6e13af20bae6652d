-- Sites that only one of the two versions of a service has executed, and what they allocated.
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
  SELECT runs.service, runs.run_id, runs.date, chosen.is_after
  FROM runs JOIN chosen ON chosen.service = runs.service AND chosen.version = runs.version
),
both_there AS (
  SELECT service FROM chosen GROUP BY service HAVING COUNT(DISTINCT version) = 2
),
sums AS (
  SELECT counts.service, counts.site, MAX(compared.is_after) AS in_new, MIN(compared.is_after) AS only_new,
    SUM(counts.objects) AS objects, SUM(counts.bytes) AS bytes
  FROM counts JOIN compared ON compared.run_id = counts.run_id AND compared.date = counts.date AND compared.service = counts.service
  WHERE counts.service IN (SELECT service FROM both_there)
  GROUP BY counts.service, counts.site
),
changed AS (
  SELECT service, site, CASE WHEN only_new = 1 THEN 'new' ELSE 'gone' END AS change, objects, bytes,
    ROW_NUMBER() OVER (ORDER BY bytes DESC, service, site) AS place
  FROM sums WHERE only_new = 1 OR in_new = 0
),
named AS (
  SELECT site, ANY_VALUE(class) AS class, ANY_VALUE(method) AS method, MAX(line) AS line, ANY_VALUE(type) AS type
  FROM sites WHERE site IN (SELECT site FROM changed WHERE place <= 1000) GROUP BY site
)
SELECT changed.service, change, named.class, named.method, named.line, named.type,
  CAST(objects AS BIGINT) AS objects, CAST(bytes AS BIGINT) AS bytes
FROM changed JOIN named ON named.site = changed.site
WHERE place <= 1000
ORDER BY place
