import { Readable, Writable } from 'node:stream'
import { headers, type Outcome, writeOutcome } from '@agentic-rest/profile'
import { createAuditFiles } from '../../src/audit-log/audit-files.ts'
import type { RouteConfig } from '../../src/config/config-schema.ts'
import {
  Cancellation,
  Exchange,
  type Identity,
  type Reply,
  type RequestBody,
  type StepResult,
} from '../../src/exchange.ts'
import { connectionAddress } from '../../src/listen/client-address.ts'
import type { Metrics } from '../../src/metrics/metrics.ts'
import type { Closable, PipelineContext } from '../../src/plugin.ts'
import { holdFor } from '../../src/plugins/plugin-set.ts'
import { createHttpClient } from '../../src/upstream/http-client.ts'
import { createShared, type Shared } from '../../src/upstream/shared-resources.ts'

/** A request in the state before the first plugin; `overrides` replaces whole fields. */
export function makeExchange(overrides: Partial<Exchange> = {}): Exchange {
  const head = {
    method: 'POST',
    path: '/campaigns/c-1/optimizations',
    query: '',
    headers: makeHeaders({}),
    rawHeaders: [],
    trace: { correlationId: 'corr-1', requestId: 'req-1' },
    headFault: undefined,
  }
  const wire = {
    body: makeBody(),
    reply: makeReply(),
    signal: new Cancellation(),
    clientAddress: '127.0.0.1',
    protocol: 'http' as const,
    spanId: '00f067aa0ba902b7',
    startedAt: performance.now(),
  }
  const routed = {
    route: makeRoute(),
    params: Object.assign(Object.create(null), { campaignId: 'c-1' }),
  }
  return Object.assign(new Exchange(head, wire), routed, overrides)
}

/** Headers in the form of `listen/`: lower-case names, no prototype. */
export function makeHeaders(values: Readonly<Record<string, string>>): Exchange['headers'] {
  const lowered = Object.entries(values).map(([name, value]) => [name.toLowerCase(), value])
  return Object.assign(Object.create(null), Object.fromEntries(lowered))
}

/** A route of the reference service; `overrides` replaces fields of its configuration. */
export function makeRoute(overrides: Partial<RouteConfig> = {}): RouteConfig {
  return {
    id: 'create-optimization',
    method: 'POST',
    path: '/campaigns/{campaignId}/optimizations',
    target: 'http://127.0.0.1:9',
    mode: 'json',
    executionTimeoutSeconds: 0,
    roles: [],
    scopes: [],
    conformance: 'report',
    forwardAuthorization: true,
    ...overrides,
  }
}

/** The identity of a validated token. */
export function makeIdentity(overrides: Partial<Identity> = {}): Identity {
  const subject = overrides.subject ?? 'alice'
  return {
    issuer: 'https://id.example.test',
    subject,
    roles: [],
    scopes: [],
    claims: { sub: subject },
    serviceAccount: false,
    serviceTenants: undefined,
    tenantClaim: undefined,
    ...overrides,
  }
}

/** A request body: bytes, text, or chunks that arrive one after the other without a length. */
export function makeBody(source: Buffer | string | readonly Buffer[] = Buffer.alloc(0)): RequestBody {
  const chunked = Array.isArray(source)
  let bytes: Buffer = chunked ? Buffer.concat(source) : Buffer.from(source as Buffer | string)
  let known = !chunked
  let replaced = false
  return {
    get isRead() {
      return known
    },
    get isReplaced() {
      return replaced
    },
    get length() {
      return known ? bytes.length : undefined
    },
    read: async (maxBytes) => {
      if (bytes.length > maxBytes) return undefined
      known = true
      return bytes
    },
    arrived: (maxBytes) => (known && bytes.length <= maxBytes ? bytes : undefined),
    replace: (next) => {
      bytes = next
      known = true
      replaced = true
    },
    holdIn: () => undefined,
    content: () => {
      if (!known) return Readable.from(source as readonly Buffer[])
      return bytes.length === 0 ? undefined : bytes
    },
  }
}

/** A reply that accepts every write. */
export function makeReply(): Reply {
  const state = { headersSent: false, closed: false }
  return {
    get isHeadSent() {
      return state.headersSent
    },
    get isClosed() {
      return state.closed
    },
    isFlushed: true,
    head: () => {
      state.headersSent = true
    },
    flush: () => {
      state.headersSent = true
    },
    write: () => true,
    onDrain: () => undefined,
    whenEnded: () => Promise.resolve(),
    end: () => {
      state.closed = true
    },
    destroy: () => {
      state.closed = true
    },
  }
}

/** One log line of a plugin. */
export interface RecordedLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** A plugin's context with a real HTTP client, a log in `lines` and stdout in `written`. Close it after use. */
export interface TestContext extends PipelineContext {
  readonly resources: Shared<Closable>
  readonly lines: RecordedLine[]
  readonly written: string[]
  close(): Promise<void>
}

/** Creates the context; `overrides` replaces the parts that a test observes. */
export function makeContext(overrides: Partial<PipelineContext> = {}): TestContext {
  const http = overrides.http ?? createHttpClient()
  const resources = createShared<Closable>()
  const lines: RecordedLine[] = []
  const written: string[] = []
  const at =
    (level: RecordedLine['level']) =>
    (message: string, fields: RecordedLine['fields'] = {}) => {
      lines.push({ level, message, fields })
    }
  return {
    log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    metrics: makeMetrics(),
    waits: { waitStarted: () => undefined, waitEnded: () => undefined },
    stdout: new Writable({
      write: (chunk, _encoding, done) => {
        written.push(String(chunk))
        done()
      },
    }),
    resources,
    hold: holdFor('test', resources),
    auditFiles: createAuditFiles({
      log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    }),
    clientAddress: connectionAddress,
    configVersion: 'test-1',
    baseFolder: process.cwd(),
    ...overrides,
    http,
    lines,
    written,
    close: () => http.close(),
  }
}

/** Metrics without counters, except those that a test replaces. A proxy, so that it also has metrics added later. */
export function makeMetrics(overrides: Partial<Metrics> = {}): Metrics {
  const uncounted = () => undefined
  return new Proxy(overrides as Metrics, { get: (own, name) => Reflect.get(own, name) ?? uncounted })
}

/** The answer on the wire. */
export interface WireAnswer {
  readonly status: number
  readonly mediaType: string | undefined
  readonly body: unknown
}

/** The answer for the result of a step, or `undefined` when the request continues. */
export function answerOf(result: StepResult, exchange: Exchange): WireAnswer | undefined {
  return result === undefined ? undefined : wireAnswer(result, exchange)
}

function wireAnswer(outcome: Outcome, { trace }: Exchange): WireAnswer {
  const written = writeOutcome(outcome, trace)
  const mediaType = written.headers[headers.contentType]
  return { status: written.status, mediaType, body: JSON.parse(written.body) }
}
