/**
 * The SQL function that leases due operations fairly between tenants. It is part of a released migration and never changes.
 *
 * The tenants form a ring in the order of their ids. Each lease goes to the tenant with the fewest running operations; of
 * equal ones, to the next in the ring after the tenant of the last lease. Within a tenant, operations that are due for
 * longer come first. A search visits one index entry per tenant and ends at a tenant without a running operation, so it
 * never reads all open operations.
 *
 * An advisory lock makes leases of one service exclusive, so that its processes see each other's leases. The whole decision
 * is one call: a suspended process cannot hold the lock between two statements.
 *
 * The settings keep the plans on the indexes. An embedded database has no statistics, and a server has old ones after a
 * burst of operations; by them, sorting all open operations may look cheap.
 */
export const LEASE_FUNCTION = `
CREATE FUNCTION agentic_lease(names text[], wanted integer, seconds double precision, given_time timestamptz)
RETURNS TABLE (tenant_id text, operation_id text, fence text, attempts integer, job text)
LANGUAGE plpgsql SET enable_sort = off SET enable_bitmapscan = off SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  service text := (SELECT min(name) FROM unnest(names) AS name);
  due_time timestamptz := coalesce(given_time, clock_timestamp());
  last_tenant text COLLATE "C";
  running jsonb;
  visited text COLLATE "C";
  has_wrapped boolean;
  best text COLLATE "C";
  fewest bigint;
  -- No tenant has fewer running operations than this.
  known_fewest bigint := 0;
  locked text[] := '{}';
  taken integer := 0;
BEGIN
  -- The usual poll finds nothing and takes no lock.
  PERFORM 1 FROM agentic_operations
    WHERE state = 'working' AND available_at <= due_time AND operation = ANY (names)
    ORDER BY available_at LIMIT 1;
  IF NOT FOUND THEN RETURN; END IF;

  PERFORM pg_advisory_xact_lock(hashtextextended('agentic_lease ' || service, 0));
  due_time := coalesce(given_time, clock_timestamp());
  SELECT tenant_id INTO last_tenant FROM agentic_turns WHERE operation = service;
  SELECT coalesce(jsonb_object_agg(tenant_id, amount), '{}') INTO running FROM (
    SELECT tenant_id, count(*) AS amount FROM agentic_operations
    WHERE state = 'working' AND leased AND available_at > due_time AND operation = ANY (names) GROUP BY tenant_id
  ) AS counted;

  WHILE taken < wanted LOOP
    best := NULL;
    visited := last_tenant;
    has_wrapped := last_tenant IS NULL;
    LOOP
      IF visited IS NULL THEN
        SELECT tenant_id INTO visited FROM agentic_operations
          WHERE state = 'working' AND available_at <= due_time AND operation = ANY (names)
          ORDER BY tenant_id COLLATE "C", available_at LIMIT 1;
      ELSE
        SELECT tenant_id INTO visited FROM agentic_operations
          WHERE tenant_id COLLATE "C" > visited AND state = 'working' AND available_at <= due_time AND operation = ANY (names)
          ORDER BY tenant_id COLLATE "C", available_at LIMIT 1;
      END IF;
      IF visited IS NULL THEN
        EXIT WHEN has_wrapped;
        has_wrapped := true;
        CONTINUE;
      END IF;
      EXIT WHEN has_wrapped AND visited > last_tenant;
      CONTINUE WHEN visited = ANY (locked);
      IF best IS NULL OR coalesce((running ->> visited)::bigint, 0) < fewest THEN
        best := visited;
        fewest := coalesce((running ->> visited)::bigint, 0);
      END IF;
      EXIT WHEN fewest <= known_fewest;
    END LOOP;
    EXIT WHEN best IS NULL;

    -- Two comparisons instead of one with '=', so that only the index by tenant has the order.
    RETURN QUERY
      WITH due AS (
        SELECT tenant_id, operation_id FROM agentic_operations
        WHERE tenant_id COLLATE "C" >= best AND tenant_id COLLATE "C" <= best
          AND state = 'working' AND available_at <= due_time AND operation = ANY (names)
        ORDER BY tenant_id COLLATE "C", available_at LIMIT 1 FOR UPDATE SKIP LOCKED
      )
      UPDATE agentic_operations AS leasing
      SET fence = leasing.fence + 1, attempts = leasing.attempts + 1, leased = true,
        available_at = due_time + seconds * interval '1 second'
      FROM due WHERE leasing.tenant_id = due.tenant_id AND leasing.operation_id = due.operation_id
      RETURNING leasing.tenant_id, leasing.operation_id, leasing.fence::text, leasing.attempts, leasing.job;
    IF FOUND THEN
      taken := taken + 1;
      last_tenant := best;
      known_fewest := fewest;
      running := running || jsonb_build_object(best, fewest + 1);
    ELSE
      -- All due operations of the tenant are being cancelled or finished at this moment.
      locked := locked || best;
    END IF;
  END LOOP;
  IF taken = 0 THEN RETURN; END IF;
  UPDATE agentic_turns SET tenant_id = last_tenant WHERE operation = service;
  IF NOT FOUND THEN INSERT INTO agentic_turns (operation, tenant_id) VALUES (service, last_tenant); END IF;
END
$$`
