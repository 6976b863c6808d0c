import { randomUUID } from 'node:crypto'
import { headers, outcomes, type Trace } from '@agentic-rest/profile'
import type { Scenario, ScenarioRequest } from '../scenario/scenario-schema.ts'
import { NO_TOKEN } from '../scenario/scenario-schema.ts'
import type { Bearer, SentRequest } from '../wire/exchange.ts'
import type { Sender } from '../wire/sender.ts'
import type { ObservationName } from './observation.ts'
import type { Tokens } from './tokens.ts'

/** The shared parts of a run. */
export interface Run {
  readonly baseUrl: string
  readonly scenario: Scenario
  readonly tokens: Tokens
  readonly wire: Sender
  /** The observations that the rules need. */
  readonly wanted: ReadonlySet<ObservationName>
  /** Records why a part of the scenario failed. */
  problem(text: string): void
}

/** Changes to a request for one sending. */
export interface Sending {
  readonly values?: Values
  /** The ids to send; new ones by default. */
  readonly trace?: Partial<Trace>
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the token of the scenario. */
  readonly token?: string | undefined
  readonly tenant?: string | undefined
  /** Replaces the token by a false one. */
  readonly falsify?: (token: Bearer) => Bearer
}

/** A new pair of ids. */
export function newTrace(): Trace {
  return { correlationId: randomUUID(), requestId: randomUUID() }
}

/** Builds the request to send, with address, token, tenant, ids and body. */
export async function prepare(
  run: Run,
  request: ScenarioRequest,
  { values = new Map(), trace = newTrace(), headers: extra = {}, falsify = keep, ...override }: Sending = {},
): Promise<SentRequest> {
  const { scenario } = run
  const filled = fillValues(request, values)
  const token = override.token ?? filled.token ?? scenario.token ?? NO_TOKEN
  const tenant = override.tenant ?? filled.tenant ?? scenario.tenant
  const body = bodyOf(filled.body)
  const bearer = token === NO_TOKEN ? undefined : falsify(await run.tokens.get(token))
  return {
    method: filled.method,
    url: addressOf(run, filled),
    headers: {
      Accept: outcomes.success.mediaType,
      // Compression would only have to be undone.
      'Accept-Encoding': 'identity',
      ...(bearer !== undefined && { [headers.authorization]: `Bearer ${bearer.text}` }),
      ...(tenant !== undefined && { [headers.tenantId]: tenant }),
      ...idHeaders(trace),
      ...(body !== undefined && { [headers.contentType]: outcomes.success.mediaType }),
      ...filled.headers,
      ...extra,
    },
    body,
    bearer,
    trace,
  }
}

function keep(token: Bearer): Bearer {
  return token
}

/** The headers for the given ids. */
export function idHeaders({ correlationId, requestId }: Partial<Trace>): Record<string, string> {
  return {
    ...(correlationId !== undefined && { [headers.correlationId]: correlationId }),
    ...(requestId !== undefined && { [headers.requestId]: requestId }),
  }
}

function addressOf({ baseUrl, scenario }: Run, { service, path }: ScenarioRequest): string {
  const base = service === undefined ? baseUrl : (scenario.services?.[service] ?? baseUrl)
  return `${base.replace(/\/+$/, '')}${path}`
}

function bodyOf(body: unknown): string | undefined {
  return body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
}

/** A `{{name}}` of the scenario without a captured value. */
export class UnknownValueError extends Error {
  override readonly name = 'UnknownValueError'
}

/** Values captured by earlier steps. `uuid` is a new one at each use. */
type Values = ReadonlyMap<string, string>

/** Replaces `{{name}}` in all texts of a value, except in keys. */
function fillValues<Value>(value: Value, values: Values): Value {
  return fill(value, values) as Value
}

function fill(value: unknown, values: Values): unknown {
  if (typeof value === 'string') return fillText(value, values)
  if (Array.isArray(value)) return value.map((item) => fill(item, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, values)]))
}

function fillText(text: string, values: Values): string {
  return text.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => {
    if (name === 'uuid') return randomUUID()
    const value = values.get(name)
    if (value === undefined) throw new UnknownValueError(`no step has captured {{${name}}}`)
    return value
  })
}
