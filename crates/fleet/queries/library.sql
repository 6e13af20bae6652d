-- What each package costs each service: objects and bytes of its sites, and their share of the service.
WITH sums AS (
  SELECT counts.service, counts.site, SUM(counts.objects) AS objects, SUM(counts.bytes) AS bytes
  FROM counts JOIN runs ON runs.run_id = counts.run_id AND runs.date = counts.date AND runs.service = counts.service
  GROUP BY counts.service, counts.site
),
wholes AS (
  SELECT service, SUM(bytes) AS bytes FROM sums GROUP BY service
),
named AS (
  SELECT site, ANY_VALUE(package) AS package FROM sites GROUP BY site
),
packages AS (
  SELECT sums.service, named.package, COUNT(*) AS sites, SUM(sums.objects) AS objects, SUM(sums.bytes) AS bytes
  FROM sums JOIN named ON named.site = sums.site CROSS JOIN asked
  WHERE asked.package IS NULL OR named.package = asked.package OR named.package LIKE CONCAT(asked.package, '.%')
  GROUP BY sums.service, named.package
)
SELECT packages.service, packages.package, packages.sites,
  CAST(packages.objects AS BIGINT) AS objects, CAST(packages.bytes AS BIGINT) AS bytes,
  CAST(FLOOR(CAST(packages.bytes AS DOUBLE) * 1000000.0E0 / CAST(wholes.bytes AS DOUBLE) + 0.5E0) AS BIGINT) AS per_million
FROM packages JOIN wholes ON wholes.service = packages.service
WHERE wholes.bytes > 0
ORDER BY packages.bytes DESC, packages.service, packages.package
