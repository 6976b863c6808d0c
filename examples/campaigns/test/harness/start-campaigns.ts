import { randomUUID } from 'node:crypto'
import { type AuditEvent, jsonLinesLog } from '@agentic-rest/service'
import { startServer } from '@agentic-rest/testing/start-server'
import { getRequestListener } from '@hono/node-server'
import { expect, onTestFinished } from 'vitest'
import { type CampaignsAppOptions, createCampaignsApp } from '../../src/campaigns-app.ts'

/** A complete answer. */
export interface Answer {
  readonly status: number
  readonly mediaType: string | null
  readonly headers: Headers
  readonly body: Record<string, unknown>
}

/** A request as the gateway sends it; from alice of acme by default. */
export interface Asking {
  readonly json?: unknown
  /** Sent unchanged. */
  readonly text?: string
  readonly tenant?: string
  readonly subject?: string
  readonly roles?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** The service on a free port. */
export interface RunningCampaigns {
  readonly url: string
  readonly records: AuditEvent[]
  readonly logged: Record<string, unknown>[]
  get(path: string, asking?: Asking): Promise<Answer>
  post(path: string, asking?: Asking): Promise<Answer>
  /** Asks for an optimization. */
  optimize(campaignId: string, goal: unknown, asking?: Asking): Promise<Answer>
  /** Polls an operation until its status is the wanted one. */
  statusWhen(operation: Answer, isWanted: (body: Status) => boolean): Promise<Status>
  close(): Promise<void>
}

/** The fields of a status that tests read. */
export interface Status {
  readonly status: string
  readonly progress?: { readonly optimizationId: string; readonly step: number; readonly steps: number }
  readonly outcome?: string
  readonly result?: Record<string, unknown>
}

/** Starts the service on a store; it ends with the test. */
export async function startCampaigns(options: CampaignsAppOptions): Promise<RunningCampaigns> {
  const records: AuditEvent[] = []
  const logged: Record<string, unknown>[] = []
  const { app, close } = createCampaignsApp({
    stepMs: 5,
    forecastDayMs: 1,
    audit: { emit: (record) => void records.push(record) },
    log: jsonLinesLog((line) => void logged.push(JSON.parse(line))),
    ...options,
  })
  const { url } = await startServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }))
  let closed: Promise<void> | undefined
  const closeOnce = () => {
    closed ??= close()
    return closed
  }
  onTestFinished(closeOnce)
  return { url, records, logged, close: closeOnce, ...createAsker(url) }
}

/** Creates requests to a running service. */
export function createAsker(url: string): Omit<RunningCampaigns, 'url' | 'records' | 'logged' | 'close'> {
  const get = (path: string, asking: Asking = {}) => ask(url, 'GET', path, asking)
  const post = (path: string, asking: Asking = {}) => ask(url, 'POST', path, asking)
  return {
    get,
    post,
    optimize: (campaignId, goal, asking = {}) =>
      post(`/campaigns/${campaignId}/optimizations`, { json: { goal }, ...asking }),
    async statusWhen({ body: { statusUrl } }, isWanted) {
      let status: Status | undefined
      await expect
        .poll(
          async () => {
            status = (await get(String(statusUrl))).body as unknown as Status
            return isWanted(status)
          },
          { interval: 5 },
        )
        .toBe(true)
      return status as Status
    },
  }
}

async function ask(url: string, method: string, path: string, asking: Asking): Promise<Answer> {
  const { json, text, tenant = 'acme', subject = 'alice', roles = '', signal } = asking
  const body = json === undefined ? text : JSON.stringify(json)
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      'x-tenant-id': tenant,
      'x-actor-subject': subject,
      'x-actor-roles': roles,
      'x-request-id': randomUUID(),
      'x-correlation-id': 'correlation-1',
      ...asking.headers,
    },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  })
  const answer = (await response.json()) as Record<string, unknown>
  const { headers, status } = response
  const { trace, ...rest } = answer
  // Checked for every answer here, so that tests need not.
  expect(trace).toEqual({ correlationId: 'correlation-1', requestId: headers.get('x-request-id') })
  expect(headers.get('x-agentic-profile')).toBe('v0.3')
  return { status, mediaType: headers.get('content-type'), headers, body: rest }
}

/** The expected typed answer: status, media type and body without its trace. */
export function expectAnswer(answer: Answer, status: number, body: object): void {
  expect({ status: answer.status, mediaType: answer.mediaType, body: answer.body }).toEqual({
    status,
    mediaType: mediaTypes[status] ?? 'application/vnd.agentic.error+json',
    body,
  })
}

const mediaTypes: Readonly<Record<number, string>> = {
  200: 'application/json',
  201: 'application/json',
  202: 'application/vnd.agentic.operation+json',
  400: 'application/vnd.agentic.clarification+json',
  409: 'application/vnd.agentic.conflict+json',
  412: 'application/vnd.agentic.approval-required+json',
  422: 'application/vnd.agentic.validation-error+json',
}

/** The answer for an unknown resource. */
export function expectNotFound(answer: Answer, what: string): void {
  expectAnswer(answer, 404, { type: 'error', code: 'NOT_FOUND', message: `There is no such ${what}.` })
}

/** The body of an optimization. */
export const anOptimization = {
  id: expect.stringMatching(/^opt-[\da-f-]{36}$/),
  campaignId: 'cmp-123',
  goal: 'ctr',
  status: 'accepted',
  suggestions: expect.any(Array),
  createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
}
