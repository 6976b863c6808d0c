/**
 * The statements of migration 10. They are part of a released migration and never change. They only add columns and tables
 * and widen checks, so that older versions can run side by side.
 */
export const DECISION_TABLES: readonly string[] = [
  // NULL in `request`: the approval was requested by an older version. `by_requester`: the requester itself confirms.
  `ALTER TABLE agentic_approvals
    ADD COLUMN request jsonb,
    ADD COLUMN quorum integer NOT NULL DEFAULT 1 CHECK (quorum > 0),
    ADD COLUMN by_requester boolean NOT NULL DEFAULT false,
    ADD COLUMN decided_at timestamptz,
    ADD COLUMN correlation_id text,
    ADD COLUMN via text[] NOT NULL DEFAULT '{}',
    DROP CONSTRAINT agentic_approvals_state_check,
    ADD CONSTRAINT agentic_approvals_state_check
      CHECK (state IN ('pending', 'approved', 'rejected', 'redeemed', 'expired', 'withdrawn')),
    DROP CONSTRAINT agentic_approvals_two_people,
    ADD CONSTRAINT agentic_approvals_two_people CHECK (
      by_requester OR decided_by <> requester OR (
        requester_issuer IS NOT NULL AND decided_by_issuer IS NOT NULL AND requester_issuer <> decided_by_issuer
      )
    ),
    DROP CONSTRAINT agentic_approvals_not_for_oneself,
    ADD CONSTRAINT agentic_approvals_not_for_oneself CHECK (
      by_requester OR decided_by <> requested_for OR (
        requested_for_issuer IS NOT NULL AND decided_by_issuer IS NOT NULL
        AND requested_for_issuer <> decided_by_issuer
      )
    )`,
  'DROP TRIGGER agentic_approvals_final ON agentic_approvals',
  `CREATE TRIGGER agentic_approvals_final BEFORE UPDATE ON agentic_approvals FOR EACH ROW
    WHEN (OLD.state IN ('rejected', 'redeemed', 'expired', 'withdrawn')) EXECUTE FUNCTION agentic_refuse_change()`,
  `CREATE TABLE agentic_approval_decisions (
    tenant_id text NOT NULL,
    approval_id text NOT NULL,
    decided_by text NOT NULL,
    decided_by_issuer text,
    verdict text NOT NULL CHECK (verdict IN ('approved', 'rejected')),
    comment text,
    decided_at timestamptz NOT NULL,
    roles text[] NOT NULL,
    FOREIGN KEY (tenant_id, approval_id) REFERENCES agentic_approvals ON DELETE CASCADE
  )`,
  `CREATE UNIQUE INDEX agentic_approval_decisions_one ON agentic_approval_decisions
    (tenant_id, approval_id, decided_by, coalesce(decided_by_issuer, ''))`,
  // An older version does not know the quorum: one decision there would be enough.
  `CREATE FUNCTION agentic_refuse_minority() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (SELECT count(*) FROM agentic_approval_decisions WHERE tenant_id = NEW.tenant_id
          AND approval_id = NEW.approval_id AND verdict = 'approved') < NEW.quorum THEN
        RAISE EXCEPTION 'the approval needs % deciders', NEW.quorum USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END
  $$`,
  `CREATE TRIGGER agentic_approvals_quorum BEFORE UPDATE ON agentic_approvals FOR EACH ROW
    WHEN (OLD.state = 'pending' AND NEW.state = 'approved' AND NEW.quorum > 1)
    EXECUTE FUNCTION agentic_refuse_minority()`,
  'CREATE INDEX agentic_approvals_newest ON agentic_approvals (tenant_id, created_at, approval_id)',
  `CREATE INDEX agentic_approvals_of_requester ON agentic_approvals (tenant_id, requester)
    WHERE state IN ('pending', 'approved')`,
  `CREATE INDEX agentic_approvals_due ON agentic_approvals (expires_at) WHERE state IN ('pending', 'approved')`,
]

/** The statement of migration 12. NULL: an older version made the row, and its kept digest is shown. */
export const SALT_COLUMN: readonly string[] = ['ALTER TABLE agentic_approvals ADD COLUMN salt text']
