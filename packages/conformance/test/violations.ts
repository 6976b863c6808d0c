import type { ScenarioInput } from '../src/index.ts'
import type { Place } from './wrong-service/routes.ts'
import type { Misbehaviour, Reply } from './wrong-service.ts'

/** One violation of the profile, and the only rule that finds it. */
export interface Violation {
  readonly title: string
  readonly rule: string
  readonly misbehaves?: Misbehaviour
  readonly at?: Place
  change?(reply: Reply): void
  readonly scenario?: Partial<ScenarioInput>
}

const vendor = (name: string) => `application/vnd.agentic.${name}+json`

const spoilt = (rule: string, title: string, at: Place, change: (reply: Reply) => void): Violation => ({
  title,
  rule,
  at,
  change,
})
const misbehaving = (rule: string, title: string, misbehaves: Misbehaviour): Violation => ({
  title,
  rule,
  misbehaves,
})

const status = (value: number) => (reply: Reply) => {
  reply.status = value
}
const header = (name: string, value: string | undefined) => (reply: Reply) => {
  const found = Object.keys(reply.headers).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name
  if (value === undefined) delete reply.headers[found]
  else reply.headers[found] = value
}
const mediaType = (value: string) => header('Content-Type', value)
const body = (change: object) => (reply: Reply) => {
  reply.body = JSON.parse(JSON.stringify({ ...reply.body, ...change }))
}
const trace = (change: object) => (reply: Reply) => {
  reply.body.trace = { ...reply.body.trace, ...change }
}
const text = (value: string) => (reply: Reply) => {
  reply.body = value
}
const inputs = (change: object) => (reply: Reply) => {
  reply.body.requiredInputs = [{ ...reply.body.requiredInputs[0], ...change }]
}
const all =
  (...changes: ((reply: Reply) => void)[]) =>
  (reply: Reply) => {
    for (const change of changes) change(reply)
  }

/** The violations that the suite must find. */
export const violations: readonly Violation[] = [
  // The table.
  spoilt('row-success', 'a success is text', 'success', mediaType('text/plain')),
  spoilt('row-created', 'a creation is 200', 'created', status(200)),
  spoilt('row-accepted', 'an accepted operation is plain JSON', 'accepted', mediaType('application/json')),
  spoilt('row-clarification-required', 'a clarification is 422', 'clarification', status(422)),
  spoilt('row-validation-failed', 'a validation error is 400', 'validation', status(400)),
  spoilt('row-approval-required', 'an approval gate is 403', 'approval', status(403)),
  spoilt('row-forbidden', 'forbidden is 401', 'forbidden', status(401)),
  spoilt(
    'row-conflict',
    'a conflict has a media type of its own',
    'conflict',
    mediaType(vendor('conflict.v1')),
  ),
  spoilt('row-failed-dependency', 'a failed dependency is 502', 'failed-dependency', status(502)),
  spoilt('row-error', 'an error is a problem of RFC 9457', 'error', mediaType('application/problem+json')),
  misbehaving('media-type-fixed', 'browsers get HTML', 'html-for-browsers'),
  spoilt('no-alias', 'a 401 has an invented media type', 'refusal', mediaType(vendor('unauthenticated'))),
  spoilt('json-bodies', 'a conflict is cut short', 'conflict', text('{"type":"conf')),
  spoilt('json-bodies', 'a success is no JSON', 'success', text('fine')),

  // Trace and ids.
  spoilt('trace-present', 'a 401 has no trace', 'refusal', body({ trace: undefined })),
  misbehaving('trace-present', 'a refusal of a request without ids has empty ids', 'empty-ids-of-refusals'),
  misbehaving(
    'correlation-id-generated',
    'a refusal has an invented correlation id',
    'odd-correlation-ids-of-refusals',
  ),
  spoilt(
    'trace-request-id',
    'an agent hands on a trace of behind',
    'graph-failed',
    trace({ requestId: 'inner' }),
  ),
  spoilt('trace-present', 'a validation error has no trace', 'validation', body({ trace: undefined })),
  spoilt('trace-present', 'a gate has an empty request id', 'approval', trace({ requestId: '' })),
  spoilt('trace-present', 'a refused stream has no trace', 'limit', body({ trace: undefined })),
  spoilt('trace-present', 'a timeout has no trace', 'deadline', body({ trace: undefined })),
  spoilt(
    'trace-correlation-id',
    'the trace is of another exchange',
    'forbidden',
    trace({ correlationId: 'other' }),
  ),
  spoilt('trace-request-id', 'the trace is of another request', 'conflict', trace({ requestId: 'other' })),
  spoilt('id-headers-agree', 'the head names another request', 'created', header('X-Request-ID', 'other')),
  misbehaving('correlation-id-generated', 'generated correlation ids are no UUIDs', 'odd-correlation-ids'),
  misbehaving('request-id-generated', 'generated request ids are no UUIDs', 'odd-request-ids'),
  misbehaving('request-id-per-request', 'every request gets the same id', 'one-request-id'),
  misbehaving('sent-id-kept', 'one absent id makes both new', 'all-ids-new'),
  spoilt(
    'traceless-upstream',
    'an answer without trace goes through',
    'traceless',
    all(status(424), body({ trace: undefined })),
  ),

  spoilt('traceless-upstream', 'a 500 without trace goes through', 'traceless', body({ trace: undefined })),
  spoilt('json-bodies', 'what is no JSON goes through', 'traceless', text('not json at all')),
  spoilt(
    'profile-header',
    'the error of a gateway has no header',
    'traceless',
    header('X-Agentic-Profile', undefined),
  ),
  spoilt('body-schema', 'the error of a gateway has no message', 'traceless', body({ message: undefined })),
  spoilt(
    'trace-request-id',
    'the error of a gateway has a trace of its own',
    'traceless',
    trace({ requestId: 'own' }),
  ),
  spoilt(
    'mismatched-upstream',
    'the trace of another goes through',
    'mismatched',
    trace({ correlationId: 'other' }),
  ),
  spoilt('mismatched-upstream', 'an answer to another goes through', 'mismatched', status(424)),
  spoilt('unreachable-upstream', 'an upstream that is down is a bad gateway', 'unreachable', status(502)),
  spoilt(
    'unreachable-upstream',
    'an upstream that is down is an error page',
    'unreachable',
    all(mediaType('text/html'), text('<h1>Bad Gateway</h1>')),
  ),
  misbehaving('unreachable-upstream', 'an upstream that is down is no answer', 'resets-when-unreachable'),
  spoilt('error-type', 'an upstream that is down says error', 'unreachable', body({ type: 'error' })),
  spoilt(
    'trace-correlation-id',
    'a success has the trace of another',
    'success',
    trace({ correlationId: 'other' }),
  ),
  spoilt('trace-request-id', 'a creation has the trace of another', 'created', trace({ requestId: 'other' })),
  spoilt('json-bodies', 'a status is no JSON', 'status', text('<<<')),

  // Header.
  spoilt('profile-header', 'a 401 has no profile header', 'refusal', header('X-Agentic-Profile', undefined)),
  spoilt(
    'profile-header',
    'a creation has no profile header',
    'created',
    header('X-Agentic-Profile', undefined),
  ),
  spoilt('profile-header', 'an error names an old version', 'error', header('X-Agentic-Profile', 'v0.2')),
  spoilt('profile-header', 'a refused stream has no profile header', 'limit', (reply) => {
    if (reply.status === 429) header('X-Agentic-Profile', undefined)(reply)
  }),
  spoilt('stream-profile-header', 'a stream has no profile header', 'stream', (reply) => {
    if (reply.body === '') header('X-Agentic-Profile', undefined)(reply)
  }),

  // Bodies.
  spoilt(
    'clarification-inputs',
    'an agent asks no question',
    'graph-clarification',
    inputs({ question: undefined }),
  ),
  spoilt(
    'clarification-shape',
    'a clarification has a code of its own',
    'clarification',
    body({ code: 'ASK' }),
  ),
  spoilt(
    'clarification-shape',
    'a clarification has no message',
    'clarification',
    body({ message: undefined }),
  ),
  spoilt(
    'clarification-inputs',
    'a clarification asks for nothing',
    'clarification',
    body({ requiredInputs: [] }),
  ),
  spoilt(
    'clarification-inputs',
    'an input is somewhere unknown',
    'clarification',
    inputs({ location: 'cookie' }),
  ),
  spoilt('clarification-inputs', 'an input is abbreviated', 'clarification', (reply) => {
    reply.body.requiredInputs = [{ field: 'goal', description: 'The goal.', type: 'string' }]
  }),
  spoilt(
    'clarification-names-input',
    'a clarification asks for something else',
    'clarification',
    inputs({ name: 'budget' }),
  ),
  spoilt('body-schema', 'a conflict has a field too many', 'conflict', body({ hint: 'wait' })),
  spoilt('body-schema', 'a gate has no token', 'approval', body({ approvalToken: undefined })),
  spoilt(
    'body-schema',
    'an error says detail for message',
    'error',
    body({ message: undefined, detail: 'Broken.' }),
  ),
  spoilt('body-schema', 'a field error has no message', 'validation', body({ errors: [{ field: 'goal' }] })),
  spoilt('body-schema', 'an operation names no address', 'accepted', body({ statusUrl: undefined })),
  spoilt('body-schema', 'a trace has a field too many', 'forbidden', trace({ spanId: 's-1' })),
  spoilt('body-schema', 'forbidden has an unknown type', 'forbidden', body({ type: 'denied' })),
  spoilt('error-type', 'forbidden says error', 'forbidden', body({ type: 'error' })),
  spoilt('error-type', 'a refused stream says forbidden', 'limit', body({ type: 'forbidden' })),
  spoilt('error-type', 'a 401 says forbidden', 'refusal', (reply) => {
    if (reply.status === 401) body({ type: 'forbidden' })(reply)
  }),
  spoilt('status-url-path', 'the status is at no address', 'accepted', body({ statusUrl: 'http://[' })),
  spoilt('retry-after-only-on-limit', 'an error says when to retry', 'error', body({ retryAfter: 5 })),
  spoilt(
    'status-url-path',
    'the status is at an odd address',
    'accepted',
    body({ statusUrl: '/elsewhere/op-1' }),
  ),
  spoilt(
    'status-url-answers',
    'the status is not there',
    'status',
    all(status(404), mediaType('text/plain'), text('Not found')),
  ),

  // Streams.
  spoilt('stream-content-type', 'a stream is plain text', 'stream', mediaType('text/plain')),
  spoilt('stream-cache-control', 'a stream may be cached', 'stream', header('cache-control', 'max-age=60')),
  misbehaving('stream-flushed', 'a stream comes all at once', 'stream-buffered'),
  misbehaving('stream-flushed', 'a comment comes before all at once', 'stream-buffered-after-comment'),
  misbehaving('stream-needs-accept', 'without a stream there is a page', 'html-without-stream'),
  misbehaving('stream-needs-accept', 'everybody gets a stream', 'stream-for-all'),

  // Limits and deadlines.
  misbehaving('limit-refused', 'there is no limit', 'no-limit'),
  misbehaving('limit-refused', 'the limit is lower than it has to be', 'limit-too-low'),
  spoilt('limit-refused', 'one stream too many is 503', 'limit', (reply) => {
    if (reply.status === 429) status(503)(reply)
  }),
  spoilt('limit-body', 'the refusal has a code of its own', 'limit', body({ code: 'TOO_MANY' })),
  spoilt('limit-body', 'the refusal is plain JSON', 'limit', (reply) => {
    if (reply.status === 429) mediaType('application/json')(reply)
  }),
  spoilt(
    'limit-retry-after',
    'the refusal does not say when to retry',
    'limit',
    body({ retryAfter: undefined }),
  ),
  spoilt('limit-retry-after-header', 'the refusal says two things', 'limit', header('Retry-After', '1')),
  misbehaving('limit-per-tenant', 'the limit is for all tenants together', 'limit-for-all-tenants'),
  misbehaving('limit-returned', 'closed streams are still counted', 'slots-kept'),
  spoilt('deadline-body', 'a timeout is 504', 'deadline', status(504)),
  spoilt('deadline-body', 'a timeout has a code of its own', 'deadline', body({ code: 'TIMEOUT' })),
  misbehaving('deadline-time', 'the deadline is over at once', 'deadline-at-once'),
  misbehaving('deadline-time', 'the deadline is late', 'deadline-late'),

  // Agents.
  spoilt('propagates-failed-dependency', 'an agent turns 424 into 500', 'graph-failed', status(500)),
  spoilt(
    'propagates-failed-dependency',
    'an agent turns 424 into 200',
    'graph-failed',
    all(status(200), mediaType('application/json')),
  ),
  spoilt(
    'propagates-clarification',
    'an agent asks in the names of another',
    'graph-clarification',
    inputs({ name: 'warehouse' }),
  ),
  spoilt(
    'propagates-approval',
    'an agent hides the approver',
    'graph-approval',
    body({ approver: undefined }),
  ),
  spoilt(
    'propagates-approval',
    'an agent passes a gate by itself',
    'graph-approval',
    all(status(200), mediaType('application/json')),
  ),
  misbehaving('retry-same-outcome', 'a retry gets another body', 'retry-other-body'),
  misbehaving('retry-same-outcome', 'a retry gets a conflict', 'retry-conflicts'),
  misbehaving('retry-one-effect', 'a retry is done again', 'retry-again'),
  misbehaving('retry-marked', 'a replay looks like a first answer', 'retry-unmarked'),
  misbehaving('retry-other-request', 'a key is good for any request', 'key-for-any-request'),
  misbehaving('hop-key', 'an agent keeps the key to itself', 'hop-without-key'),
  misbehaving('hop-tenant', 'an agent acts for another tenant', 'hop-other-tenant'),
  misbehaving('hop-correlation', 'an agent starts an exchange of its own', 'hop-other-correlation'),

  // Access and metrics.
  misbehaving('missing-token-refused', 'no token is needed', 'accepts-no-token'),
  misbehaving('invalid-token-refused', 'any token will do', 'accepts-any-token'),
  misbehaving('invalid-token-refused', 'signatures are not verified', 'accepts-forged-token'),
  misbehaving('missing-token-refused', 'a missing token is a failure', 'fails-without-token'),
  misbehaving('foreign-tenant-refused', 'any tenant will do', 'accepts-any-tenant'),
  misbehaving('permission-admitted', 'a route forbids everybody', 'forbids-everybody'),
  misbehaving('forged-identity-dropped', 'headers of a client go through', 'forwards-every-header'),
  misbehaving('forged-identity-dropped', 'X_Actor_Subject goes through', 'forwards-odd-spellings'),
  spoilt('metrics-exposed', 'metrics are JSON', 'metrics', all(mediaType('application/json'))),
  spoilt('metrics-requests', 'requests are not counted by tenant', 'metrics', (reply) => {
    reply.body = reply.body.replaceAll(',tenant_id="acme"}', '}')
  }),
  spoilt('metrics-requests', 'requests have an invented outcome', 'metrics', (reply) => {
    reply.body = reply.body.replace('outcome="created"', 'outcome="banana"')
  }),
  misbehaving('metrics-requests', 'requests are not counted', 'counts-nothing'),
  misbehaving('metrics-requests', 'requests are counted as failed', 'counts-as-error'),
  misbehaving('metrics-requests', 'requests are counted for no tenant', 'counts-for-nobody'),
  spoilt('metrics-types', 'durations are a summary', 'metrics', (reply) => {
    reply.body = reply.body.replace('duration_seconds histogram', 'duration_seconds summary')
  }),
  spoilt('metrics-types', 'requests are counted by no number', 'metrics', (reply) => {
    reply.body = reply.body.replaceAll(/^(agentic_requests_total\{.*\}) .*$/gm, '$1 NaN')
  }),
  spoilt('metrics-types', 'durations have no samples', 'metrics', (reply) => {
    reply.body = reply.body.replaceAll(/^agentic_request_duration_seconds_.*\n/gm, '')
  }),
  spoilt('metrics-types', 'durations have no buckets', 'metrics', (reply) => {
    reply.body = reply.body.replaceAll(/^agentic_upstream_duration_seconds_bucket.*\n/gm, '')
  }),

  // Files.
  {
    title: 'a package declares nothing',
    rule: 'package-declaration',
    scenario: { packages: ['undeclared.json'] },
  },
  { title: 'a fixture contradicts its schema', rule: 'fixtures-agree', scenario: { fixtures: 'fixtures' } },
]
