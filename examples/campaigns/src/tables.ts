import type { MigrationStep, Store } from '@agentic-rest/service'
import { fillDemonstration } from './demonstration-data.ts'

const statements = [
  `CREATE TABLE campaigns (
    tenant_id text NOT NULL,
    campaign_id text NOT NULL,
    name text NOT NULL,
    monthly_budget bigint NOT NULL,
    metrics_source text NOT NULL CHECK (metrics_source IN ('store', 'partner')),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, campaign_id)
  )`,
  // The table does not check the numbers: metrics come from other systems and are checked at their use.
  `CREATE TABLE daily_metrics (
    tenant_id text NOT NULL,
    campaign_id text NOT NULL,
    day date NOT NULL,
    device text NOT NULL,
    audience text NOT NULL,
    creative text NOT NULL,
    impressions integer NOT NULL,
    reach integer NOT NULL,
    clicks integer NOT NULL,
    leads integer NOT NULL,
    "qualifiedLeads" integer NOT NULL,
    conversions integer NOT NULL,
    "spendCents" integer NOT NULL,
    PRIMARY KEY (tenant_id, campaign_id, day, device, audience, creative),
    FOREIGN KEY (tenant_id, campaign_id) REFERENCES campaigns ON DELETE CASCADE
  )`,
  // An optimization belongs to a background operation and ends with it, or to a process that holds it
  // until `held_until`.
  `CREATE TABLE optimizations (
    tenant_id text NOT NULL,
    optimization_id text NOT NULL,
    campaign_id text NOT NULL,
    goal text NOT NULL,
    status text NOT NULL CHECK (status IN ('accepted', 'running', 'completed', 'failed', 'cancelled')),
    suggestions text NOT NULL,
    created_at timestamptz NOT NULL,
    held_until timestamptz,
    operation_id text,
    PRIMARY KEY (tenant_id, optimization_id),
    FOREIGN KEY (tenant_id, campaign_id) REFERENCES campaigns ON DELETE CASCADE,
    CHECK ((held_until IS NULL) <> (operation_id IS NULL))
  )`,
  // One at a time per goal, across all processes.
  `CREATE UNIQUE INDEX optimizations_in_progress ON optimizations (tenant_id, campaign_id, goal)
    WHERE status IN ('accepted', 'running')`,
  `CREATE UNIQUE INDEX optimizations_operation ON optimizations (tenant_id, operation_id)
    WHERE operation_id IS NOT NULL`,
  `CREATE INDEX optimizations_held ON optimizations (held_until) WHERE status IN ('accepted', 'running')`,
  'CREATE INDEX optimizations_listed ON optimizations (tenant_id, campaign_id, created_at, optimization_id)',
  `CREATE FUNCTION refuse_final_optimization() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'the status % of an optimization is final', OLD.status USING ERRCODE = 'check_violation';
    END
  $$`,
  `CREATE TRIGGER optimizations_final BEFORE UPDATE ON optimizations FOR EACH ROW
    WHEN (OLD.status IN ('completed', 'failed', 'cancelled')
      AND (NEW.status, NEW.suggestions) IS DISTINCT FROM (OLD.status, OLD.suggestions))
    EXECUTE FUNCTION refuse_final_optimization()`,
]

const steps: readonly MigrationStep[] = [
  {
    name: 'campaigns, their metrics and optimizations',
    async apply(sql) {
      for (const statement of statements) await sql.query(statement)
    },
  },
  { name: 'the campaigns of the demonstration', apply: fillDemonstration },
]

/** Migrates the tables and inserts the first campaigns once. Several processes may call it. */
export function prepareTables(store: Store): Promise<void> {
  return store.migrate({ owner: 'campaigns', steps })
}
