import type { IncomingMessage, Server } from 'node:http'
import { openServer } from '@agentic-rest/testing/open-server'
import { brokenAnswers } from './scenario-service/broken-answers.ts'
import { eventStreams } from './scenario-service/event-streams.ts'
import { exchanges } from './scenario-service/exchanges.ts'
import { type Handler, type Incoming, sendOutcome } from './scenario-service/send-outcome.ts'

/** A file that a browser loads from the service's own origin. */
export interface PageFile {
  readonly type: string
  readonly body: string
}

/** A service on a free port with every behaviour that a client can meet. */
export interface ScenarioService {
  readonly url: string
  readonly server: Server
  readonly requests: readonly Incoming[]
  close(): void
}

/** Starts it; `files` are served by their path. */
export async function startScenarioService(
  files: ReadonlyMap<string, PageFile> = new Map(),
): Promise<ScenarioService> {
  const requests: Incoming[] = []
  const handlers = new Map<string, Handler>(
    Object.entries({ ...exchanges(), ...brokenAnswers(), ...eventStreams() }),
  )
  const opened = await openServer(async (message, response) => {
    const request = await readRequest(message)
    const file = files.get(request.url)
    if (file !== undefined) return void response.writeHead(200, { 'content-type': file.type }).end(file.body)
    requests.push(request)
    const handler = handlers.get(request.segments[0] ?? '')
    if (handler !== undefined) return handler(request, response, requests)
    sendOutcome(response, request.trace, {
      type: 'error',
      condition: 'not_found',
      code: 'NOT_FOUND',
      message: 'Not here.',
    })
  })
  return { ...opened, requests }
}

/** Reads a request to its end. */
export async function readRequest(message: IncomingMessage): Promise<Incoming> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  const { method = '', url = '', headers } = message
  const [path = '', search = ''] = url.split('?')
  return {
    method,
    url,
    headers,
    segments: path.split('/').slice(1).map(decodeURIComponent),
    query: new URLSearchParams(search),
    body: Buffer.concat(chunks).toString(),
    trace: {
      correlationId: String(headers['x-correlation-id'] ?? 'none'),
      requestId: String(headers['x-request-id'] ?? 'none'),
    },
  }
}
