-- What each request, query and job costs each service: objects and bytes in each context, and their share of the service. Contexts of other kinds
-- inside are included: an object is in one context of each kind.
WITH sums AS (
  SELECT counts.service, counts.context, SUM(counts.objects) AS objects, SUM(counts.bytes) AS bytes
  FROM counts JOIN runs ON runs.run_id = counts.run_id AND runs.date = counts.date AND runs.service = counts.service
  GROUP BY counts.service, counts.context
),
wholes AS (
  SELECT service, SUM(bytes) AS bytes FROM sums GROUP BY service
),
named AS (
  SELECT context, kind, name FROM contexts GROUP BY context, kind, name
),
in_contexts AS (
  SELECT sums.service, named.kind, named.name, SUM(sums.objects) AS objects, SUM(sums.bytes) AS bytes
  FROM sums JOIN named ON named.context = sums.context
  GROUP BY sums.service, named.kind, named.name
)
SELECT in_contexts.service, in_contexts.kind, in_contexts.name AS context,
  CAST(in_contexts.objects AS BIGINT) AS objects, CAST(in_contexts.bytes AS BIGINT) AS bytes,
  CAST(FLOOR(CAST(in_contexts.bytes AS DOUBLE) * 1000000.0E0 / CAST(wholes.bytes AS DOUBLE) + 0.5E0) AS BIGINT) AS per_million
FROM in_contexts JOIN wholes ON wholes.service = in_contexts.service
WHERE wholes.bytes > 0
ORDER BY in_contexts.bytes DESC, in_contexts.service, in_contexts.kind, in_contexts.name
