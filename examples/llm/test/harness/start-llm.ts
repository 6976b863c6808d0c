import type { AuditEvent } from '@agentic-rest/service'
import { startServer } from '@agentic-rest/testing/start-server'
import { onTestFinished } from 'vitest'
import { createLlmService } from '../../src/llm-service.ts'
import { createLocalModel } from '../../src/local-model.ts'
import type { Model } from '../../src/model.ts'

/** The service on a free port, with requests as a gateway sends them. */
export interface RunningLlm {
  readonly records: AuditEvent[]
  post(body: unknown, more?: RequestInit): Promise<Response>
}

/** The ids of every test request. */
export const trace = { correlationId: 'correlation-1', requestId: 'request-1' }

/** Starts the service with a model; the local one without pauses by default. */
export async function startLlm(model: Model = createLocalModel({ frameMs: 0 })): Promise<RunningLlm> {
  const records: AuditEvent[] = []
  const service = createLlmService({ model, audit: { emit: (record) => void records.push(record) } })
  const { url } = await startServer(service.listener)
  onTestFinished(() => service.close())
  return {
    records,
    post: (body, { headers, ...more } = {}) =>
      fetch(`${url}/llm/completions`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: {
          'content-type': 'application/json',
          'x-tenant-id': 'acme',
          'x-actor-subject': 'alice',
          'x-correlation-id': trace.correlationId,
          'x-request-id': trace.requestId,
          ...headers,
        },
        ...more,
      }),
  }
}

/** The data of each frame of a stream. */
export async function framesOf(response: Response): Promise<string[]> {
  const text = await response.text()
  const frames = text.split('\n\n')
  // The last frame also ends with an empty line.
  if (frames.pop() !== '') throw new Error(`the stream breaks off: ${text}`)
  return frames.map((frame) => frame.replace(/^data: /, ''))
}
