import { type OutcomeType, outcomeTypes } from '@agentic-rest/profile'

/** A clause of the specification that can be tested on a live service or a file. */
export interface Clause {
  /** The section and rule of the specification. */
  readonly where: string
  /** The requirement, in short. */
  readonly demands: string
}

const tableClauses = Object.fromEntries(
  outcomeTypes.map((type) => [
    `table.${type}`,
    { where: `Errors, table, row ${type}`, demands: `${type} has the status and media type of its row` },
  ]),
) as Readonly<Record<`table.${OutcomeType}`, Clause>>

/** Every clause that can be observed from outside. A test of this package fails for a clause without a rule. */
export const clauses = {
  ...tableClauses,
  'table.fixed': { where: 'What the service does, 2', demands: 'status and media type of a type are fixed' },
  'table.no-alias': { where: 'Errors, below the table', demands: 'no alias of a status or media type' },
  'table.json': { where: 'Errors, table', demands: 'a body with a JSON media type is JSON' },
  'versioning.trace': {
    where: 'Versioning, rule 6; Errors, rule 1',
    demands: 'every vendor-typed body carries a trace',
  },
  'resources.trace.correlationId': {
    where: 'Resources, trace object',
    demands: 'correlationId is the one of the request',
  },
  'resources.trace.requestId': {
    where: 'Resources, trace object',
    demands: 'requestId is the one of the request',
  },
  'resources.trace.per-request': { where: 'Resources, trace object', demands: 'requestId is per request' },
  'endpoints.headers.ids': {
    where: 'Endpoints, request headers; decision 14',
    demands: 'the ids of the request are kept unchanged',
  },
  'gateway.rule-1.correlation': {
    where: 'Endpoints, gateway rule 1',
    demands: 'a UUID v4 is generated for an absent correlation id',
  },
  'gateway.rule-1.request': {
    where: 'Endpoints, gateway rule 1',
    demands: 'a UUID v4 is generated for an absent request id',
  },
  'gateway.rule-1.each': {
    where: 'Endpoints, gateway rule 1',
    demands: 'an id of the request is kept, a missing one generated',
  },
  'gateway.rule-3': {
    where: 'Endpoints, gateway rule 3; decision 7',
    demands: 'the trace of an upstream answer is compared with the ids of the request',
  },
  'gateway.rule-4': {
    where: 'Endpoints, gateway rule 4; Errors, rule 3',
    demands: 'an answer without trace becomes 500',
  },
  'gateway.unreachable': {
    where: 'Decision 5',
    demands: 'an upstream that cannot be reached is a failed dependency',
  },
  'gateway.identity-headers': {
    where: 'Decision 16',
    demands: 'identity headers of a client are dropped, in every spelling',
  },
  'versioning.header': {
    where: 'Versioning, rules 1 and 6; Endpoints, gateway rule 5',
    demands: 'the profile header is on every agentic response',
  },
  'versioning.header.stream': {
    where: 'Versioning, rule 6; Endpoints, 7',
    demands: 'the profile header is on streams',
  },
  'versioning.clarification': {
    where: 'Versioning, rule 6; Errors, rule 2',
    demands: 'the clarification has its shape',
  },
  'resources.requiredInputs': {
    where: 'Resources, requiredInputs element; Limits',
    demands: 'there is at least one required input, with all its fields',
  },
  'endpoints.1.names-input': {
    where: 'Endpoints, 1',
    demands: 'a clarification names the missing input',
  },
  'versioning.schema': {
    where: 'Versioning, rule 6',
    demands: 'every vendor-typed body validates against its schema',
  },
  'resources.error.type': {
    where: 'Resources, generic error body; decision 2',
    demands: 'the type of an error body is its outcome',
  },
  'resources.error.retryAfter': {
    where: 'Resources, generic error body',
    demands: 'retryAfter is on 429 only',
  },
  'endpoints.6.path': { where: 'Endpoints, 6', demands: 'statusUrl ends with the operation id and /status' },
  'endpoints.6.poll': {
    where: 'Endpoints, 6; Resources, operation-accepted body',
    demands: 'statusUrl can be polled',
  },
  'endpoints.7.content-type': { where: 'Endpoints, 7', demands: 'a stream is text/event-stream' },
  'endpoints.7.cache-control': { where: 'Endpoints, 7', demands: 'a stream is not cached' },
  'endpoints.7.flushing': { where: 'Endpoints, 7', demands: 'a stream is flushed with every chunk' },
  'endpoints.7.accept': { where: 'Endpoints, 7', demands: 'only a request that asks for a stream gets one' },
  'limits.concurrency': {
    where: 'Limits; Errors, rule 4',
    demands: 'one stream too many is refused with 429',
  },
  'limits.body': { where: 'Errors, rule 4', demands: 'the refusal is an error body with LIMIT_EXCEEDED' },
  'limits.retryAfter': {
    where: 'Limits, retryAfter',
    demands: 'the refusal says after how many seconds to retry',
  },
  'limits.retry-after-header': { where: 'Decision 2', demands: 'the Retry-After header equals retryAfter' },
  'limits.per-tenant': { where: 'Limits', demands: 'streams are counted per tenant' },
  'limits.concurrent': { where: 'Limits', demands: 'a stream that has ended is not counted' },
  'deadline.body': {
    where: 'Errors, rule 4; Limits',
    demands: 'a request beyond its deadline is 500 EXECUTION_TIMEOUT',
  },
  'deadline.time': {
    where: 'Limits, executionTimeoutSeconds',
    demands: 'the deadline is the configured one',
  },
  'propagation.failed_dependency': {
    where: 'Errors, rule 5',
    demands: 'a 424 of an inner agent is a 424 of the outer agent',
  },
  'propagation.clarification_required': {
    where: 'Errors, rule 5',
    demands: 'a question of an inner agent is a question of the outer agent, with its own input names',
  },
  'propagation.approval_required': {
    where: 'Errors, rule 5',
    demands: 'an approval of an inner agent is an approval of the outer agent, with the same approver',
  },
  'idempotency.outcome': {
    where: 'Endpoints, retry rule 2',
    demands: 'a retry gets the outcome of the first request',
  },
  'idempotency.effect': { where: 'Endpoints, retry rule 2', demands: 'a retry has no effect' },
  'idempotency.marked': {
    where: 'Decision 30',
    demands: 'a stored outcome is marked as a replay',
  },
  'idempotency.request': {
    where: 'Decision 30',
    demands: 'a key is for one request; another one is refused with 422',
  },
  'idempotency.hop': {
    where: 'Endpoints, retry rule 1',
    demands: 'the key reaches the inner agent unchanged',
  },
  'hop.correlation': {
    where: 'Endpoints, retry rule 3',
    demands: 'the correlation id reaches the inner agent unchanged',
  },
  'hop.tenant': { where: 'Authentication, 5', demands: 'the tenant reaches the inner agent unchanged' },
  'authentication.missing': {
    where: 'Authentication, 1; decision 4',
    demands: 'a request carries a bearer token',
  },
  'authentication.invalid': {
    where: 'Authentication, 2; decision 4',
    demands: 'the bearer token is validated',
  },
  'authentication.tenant': { where: 'Authentication, 3; decision 18', demands: 'the tenant is validated' },
  'authentication.permission': {
    where: 'Authentication, 6',
    demands: 'forbidden is for a caller that lacks permission',
  },
  'metrics.exposed': { where: 'Endpoints, 8', demands: 'metrics can be scraped' },
  'metrics.requests': {
    where: 'Endpoints, 8, agentic_requests_total; decision 25',
    demands: 'requests are counted by three labels',
  },
  'metrics.types': { where: 'Endpoints, 8, metric table', demands: 'each metric has the type of the table' },
  'versioning.declaration': {
    where: 'Versioning, rules 2 and 6',
    demands: 'the package declares the profile',
  },
  'versioning.fixtures': { where: 'Versioning, rule 6', demands: 'the corpus agrees with the schemas' },
} as const satisfies Readonly<Record<string, Clause>>

/** The name of a clause. */
export type ClauseId = keyof typeof clauses

/** Clauses that cannot be observed from outside, with the reason. They are listed so that they do not count as passed. */
export const outOfReach: readonly (Clause & { readonly why: string })[] = [
  {
    where: 'What the service does, plugin pipeline',
    demands: 'plugins run in a fixed order',
    why: 'an answer does not show which plugins ran',
  },
  {
    where: 'Endpoints, gateway rule 2',
    demands: 'both ids are forwarded to the upstream',
    why: 'the request to the upstream is visible only in its answers, and their ids are tested',
  },
  {
    where: 'Events',
    demands: 'audit records have their fields and their order',
    why: 'records go to a log or a collector, not to the caller',
  },
  {
    where: 'Limits, deadline on an SSE route',
    demands: 'a stream gets 30 seconds more',
    why: 'waiting for it would make every run take half a minute',
  },
  {
    where: 'Versioning, rules 3, 4 and 7',
    demands: 'earlier schema sets are frozen, bumps are recorded, the table has one home',
    why: 'these are about a repository, not about a service',
  },
]
