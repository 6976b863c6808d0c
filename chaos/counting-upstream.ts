import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { headerKeys, headers, type Outcome, outcomes, writeOutcome } from '@agentic-rest/profile'

/** A service that counts the executions of each request. */
export interface CountingUpstream {
  readonly port: number
  readonly url: string
  /** The number of executions by request id. */
  readonly executed: Map<string, number>
  close(): void
}

/** The behaviour of the service. */
export interface CountingUpstreamOptions {
  /** The time of an operation, none by default. */
  readonly workMs?: () => number
  /** False switches the counting off, for runs that do not need it. */
  readonly keepsCounts?: boolean
}

/** The meaning of the first path segment. */
export const upstreamKinds = ['items', 'questions', 'events'] as const

const TEXT = 'x'.repeat(1800)
const EVENTS = 5
const EVENT_DISTANCE_MS = 5

/**
 * Starts the service. `/items/...` answers with 2 KB of JSON that names the request, `/questions/...` with a
 * clarification, `/events/...` with a stream. The rest of the path does not matter.
 */
export async function startCountingUpstream(
  options: CountingUpstreamOptions = {},
): Promise<CountingUpstream> {
  const executed = new Map<string, number>()
  const server = createServer((request, response) => {
    request.on('error', () => undefined).resume()
    // An operation begins after the whole request has arrived.
    request.once('end', () => execute(request, response, { ...options, executed }))
  })
  server.keepAliveTimeout = 30_000
  server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    executed,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function execute(
  request: IncomingMessage,
  response: ServerResponse,
  { workMs, keepsCounts = true, executed }: CountingUpstreamOptions & Pick<CountingUpstream, 'executed'>,
): void {
  const id = String(request.headers[headerKeys.requestId])
  if (keepsCounts) executed.set(id, (executed.get(id) ?? 0) + 1)
  const answer = answers[request.url?.split('/')[1] ?? ''] ?? answerItem
  const ms = workMs?.() ?? 0
  if (ms > 0) setTimeout(answer, ms, request, response)
  else answer(request, response)
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const answerItem: Answer = (request, response) =>
  send(request, response, {
    type: 'success',
    body: { id: String(request.headers[headerKeys.requestId]), text: TEXT },
  })

const answerQuestion: Answer = (request, response) =>
  send(request, response, {
    type: 'clarification_required',
    message: `${TEXT}`,
    requiredInputs: [
      { name: 'goal', location: 'body', type: 'string', required: true, question: 'Which goal?' },
    ],
  })

const answers: Readonly<Record<string, Answer>> = {
  items: answerItem,
  questions: answerQuestion,
  events: answerEvents,
}

function send(request: IncomingMessage, response: ServerResponse, outcome: Outcome): void {
  const trace = {
    correlationId: String(request.headers[headerKeys.correlationId]),
    requestId: String(request.headers[headerKeys.requestId]),
  }
  const written = writeOutcome(outcome, trace)
  const length = { 'Content-Length': Buffer.byteLength(written.body) }
  response.writeHead(written.status, { ...written.headers, ...length }).end(written.body)
}

function answerEvents(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(outcomes.success.status, { [headers.contentType]: 'text/event-stream' })
  let count = 0
  const timer = setInterval(() => {
    count += 1
    if (count > EVENTS) {
      clearInterval(timer)
      response.end('data: [DONE]\n\n')
    } else response.write(`data: {"event":${count},"text":"${TEXT.slice(0, 400)}"}\n\n`)
  }, EVENT_DISTANCE_MS)
  response.once('close', () => clearInterval(timer))
}
