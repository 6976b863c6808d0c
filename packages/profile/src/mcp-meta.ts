/** The members of `_meta` in MCP messages that belong to the profile. */
export const mcpMeta = {
  /** Type, status and trace of the outcome in a result. */
  outcome: 'org.agentic-rest/outcome',
  /** The idempotency key that a client chooses for a call. */
  idempotencyKey: 'org.agentic-rest/idempotencyKey',
} as const
