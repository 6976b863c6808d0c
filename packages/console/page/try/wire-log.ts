import type { ClientRequest, Fetch } from '@agentic-rest/client'
import {
  conditionOf,
  EVENT_STREAM_TYPE,
  headers,
  mediaTypeEssence,
  outcomeTypeOf,
  parseJson,
  readOutcome,
  type Violation,
} from '@agentic-rest/profile'
import { STREAMED } from '../api/name-outcome.ts'
import type { ShownEvents } from './stream-text.ts'
import type { WireRequest } from './to-curl.ts'

/** A sent request, and its answer if it has arrived. */
export interface Step {
  readonly request: WireRequest
  /** `main`: the request of the form. `follow`: a poll of an operation or an approval. */
  readonly kind: 'main' | 'follow'
  readonly answer: StepAnswer | undefined
  /** The events of an answer that is a stream, once there is one. */
  readonly events?: ShownEvents | undefined
}

/** The answer to a request. */
export interface StepAnswer {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  /** Parsed where it is JSON. For a stream: that of its last frame, undefined without one. */
  readonly body: unknown
  readonly isStream: boolean
  readonly tookMs: number
  /** The name of the outcome or condition. */
  readonly outcome: string
  readonly violations: readonly Violation[]
}

/** Called at the start of each step, and again with its answer. */
export type OnStep = (index: number, step: Step) => void

/** A `fetch` that reports every request and answer of an exchange; `send` sends them. */
export function createWireLog(
  main: Pick<ClientRequest, 'method' | 'path'>,
  onStep: OnStep,
  send: Fetch = fetch,
): Fetch {
  let count = 0
  return async function loggedFetch(url, init) {
    const index = count++
    const request = wireRequest(url, init)
    const step: Step = { request, kind: fits(main, request) ? 'main' : 'follow', answer: undefined }
    onStep(index, step)
    const startedAt = performance.now()
    const response = await send(url, init)
    const copy = isEventStream(response) ? undefined : response.clone()
    const tookMs = performance.now() - startedAt
    const body = copy === undefined ? undefined : await copy.text()
    onStep(index, { ...step, answer: answerOf(response, body, tookMs) })
    return response
  }
}

/** The arguments of `fetch` as plain values. */
export function wireRequest(url: string, init: RequestInit): WireRequest {
  return {
    method: init.method ?? 'GET',
    url,
    headers: [...new Headers(init.headers)],
    body: typeof init.body === 'string' ? init.body : undefined,
  }
}

// Answers may change path or query, so the template is compared.
function fits(main: Pick<ClientRequest, 'method' | 'path'>, { method, url }: WireRequest): boolean {
  if (method.toUpperCase() !== main.method.toUpperCase()) return false
  const wanted = main.path.split('/')
  const parts = new URL(url).pathname.split('/').slice(-wanted.length)
  return (
    parts.length === wanted.length &&
    wanted.every((part, index) => /^\{.*\}$/.test(part) || part === parts[index])
  )
}

function isEventStream(response: Response): boolean {
  return mediaTypeEssence(response.headers.get(headers.contentType) ?? undefined) === EVENT_STREAM_TYPE
}

function answerOf(response: Response, body: string | undefined, tookMs: number): StepAnswer {
  const { status } = response
  const known = conditionOf(status) ?? outcomeTypeOf(status)
  const reading = body === undefined ? undefined : readOutcome({ status, headers: response.headers, body })
  return {
    status,
    headers: [...response.headers],
    body: body === undefined ? undefined : (parseJson(body, { isMessage: true }).value ?? body),
    isStream: body === undefined,
    tookMs,
    outcome: body === undefined ? STREAMED : (known ?? 'untyped'),
    violations: reading === undefined || reading.ok ? [] : reading.violations,
  }
}
