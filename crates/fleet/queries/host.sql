-- Hosts that allocate more bytes an hour than the median host of the same service and version, and the site at which most of that is.
WITH rates AS (
  SELECT service, version, host, CAST(SUM(bytes) AS DOUBLE) AS bytes, CAST(SUM(millis) AS DOUBLE) AS millis
  FROM runs GROUP BY service, version, host HAVING SUM(millis) > 0
),
typical AS (
  SELECT service, version, COUNT(*) AS hosts, MEDIAN(bytes / millis) AS rate FROM rates GROUP BY service, version
),
worst AS (
  SELECT rates.service, rates.version, rates.host, typical.hosts, rates.millis,
    rates.bytes / rates.millis AS host_rate, typical.rate AS median_rate,
    ROW_NUMBER() OVER (ORDER BY rates.bytes / rates.millis / typical.rate DESC, rates.service, rates.version, rates.host) AS place
  FROM rates JOIN typical ON typical.service = rates.service AND typical.version = rates.version
  WHERE typical.rate > 0 AND typical.hosts >= 3
),
listed AS (SELECT * FROM worst WHERE place <= 20),
wholes AS (
  SELECT rates.service, rates.version, SUM(millis) AS millis FROM rates GROUP BY rates.service, rates.version
),
processes AS (
  SELECT runs.service, runs.version, runs.host, runs.run_id, runs.date
  FROM runs WHERE runs.service IN (SELECT service FROM listed)
),
of_site AS (
  SELECT processes.service, processes.version, counts.site, processes.host, SUM(counts.bytes) AS bytes
  FROM counts JOIN processes ON processes.run_id = counts.run_id AND processes.date = counts.date AND processes.service = counts.service
  GROUP BY processes.service, processes.version, counts.site, processes.host
),
of_all AS (
  SELECT service, version, site, SUM(bytes) AS bytes FROM of_site GROUP BY service, version, site
),
excess AS (
  SELECT listed.place, of_site.site,
    CAST(of_site.bytes AS DOUBLE) / listed.millis - CAST(of_all.bytes AS DOUBLE) / wholes.millis AS more
  FROM listed
  JOIN of_site ON of_site.service = listed.service AND of_site.version = listed.version AND of_site.host = listed.host
  JOIN of_all ON of_all.service = listed.service AND of_all.version = listed.version AND of_all.site = of_site.site
  JOIN wholes ON wholes.service = listed.service AND wholes.version = listed.version
),
ranked AS (
  SELECT place, site, more, ROW_NUMBER() OVER (PARTITION BY place ORDER BY more DESC, site) AS number FROM excess
),
named AS (
  SELECT site, ANY_VALUE(class) AS class, ANY_VALUE(method) AS method, MAX(line) AS line, ANY_VALUE(type) AS type
  FROM sites WHERE site IN (SELECT site FROM ranked WHERE number = 1) GROUP BY site
)
SELECT listed.service, listed.version, listed.host, listed.hosts,
  CAST(FLOOR(listed.host_rate * 3600000.0E0 + 0.5E0) AS BIGINT) AS bytes_per_hour,
  CAST(FLOOR(listed.median_rate * 3600000.0E0 + 0.5E0) AS BIGINT) AS median_bytes_per_hour,
  named.class, named.method, named.line, named.type,
  CAST(FLOOR(ranked.more * 3600000.0E0 + 0.5E0) AS BIGINT) AS site_more_bytes_per_hour
FROM listed
LEFT JOIN ranked ON ranked.place = listed.place AND ranked.number = 1
LEFT JOIN named ON named.site = ranked.site
ORDER BY listed.place
