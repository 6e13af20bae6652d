-- Sites whose live objects become more and more: in how many of the traced processes, and how fast in all of them together.
WITH verdicts AS (
  SELECT leaks.service, leaks.site, leaks.run_id,
    MAX(CASE WHEN verdict = 'leaks' THEN 1 ELSE 0 END) AS grows,
    SUM(CASE WHEN verdict = 'leaks' THEN objects_per_hour ELSE 0 END) AS objects_per_hour,
    SUM(CASE WHEN verdict = 'leaks' THEN bytes_per_hour ELSE 0 END) AS bytes_per_hour,
    SUM(live_bytes) AS live_bytes
  FROM leaks JOIN runs ON runs.run_id = leaks.run_id AND runs.date = leaks.date AND runs.service = leaks.service
  WHERE leaks.site IS NOT NULL
  GROUP BY leaks.service, leaks.site, leaks.run_id
),
sums AS (
  SELECT service, site, COUNT(*) AS processes, SUM(grows) AS growing, SUM(objects_per_hour) AS objects_per_hour,
    SUM(bytes_per_hour) AS bytes_per_hour, SUM(live_bytes) AS live_bytes
  FROM verdicts GROUP BY service, site
),
worst AS (
  SELECT *, ROW_NUMBER() OVER (ORDER BY bytes_per_hour DESC, service, site) AS place FROM sums WHERE growing > 0
),
named AS (
  SELECT site, ANY_VALUE(class) AS class, ANY_VALUE(method) AS method, MAX(line) AS line, ANY_VALUE(type) AS type
  FROM sites WHERE site IN (SELECT site FROM worst WHERE place <= 1000) GROUP BY site
)
SELECT worst.service, named.class, named.method, named.line, named.type,
  CAST(growing AS BIGINT) AS growing, CAST(processes AS BIGINT) AS processes,
  CAST(objects_per_hour AS BIGINT) AS objects_per_hour, CAST(bytes_per_hour AS BIGINT) AS bytes_per_hour, CAST(live_bytes AS BIGINT) AS live_bytes
FROM worst JOIN named ON named.site = worst.site
WHERE place <= 1000
ORDER BY place
