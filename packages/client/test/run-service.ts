import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type Client, type ClientOptions, createClient } from '../src/index.ts'
import type { Incoming } from './scenario-service/send-outcome.ts'
import { readRequest } from './scenario-service.ts'
import { impatientClock } from './scenarios/scenario.ts'

/** A service with the answers of a test, and a client without waits. */
export interface RunService {
  readonly client: Client
  readonly url: string
  readonly requests: readonly Incoming[]
  readonly waits: readonly number[]
}

/** Starts a service that answers the nth request (from 1) with `answer`; it ends with the test. */
export async function startRunService(
  answer: (request: Incoming, response: ServerResponse, count: number) => void,
  options: Partial<ClientOptions> = {},
): Promise<RunService> {
  const requests: Incoming[] = []
  const clock = impatientClock()
  const server = createServer(async (message, response) => {
    const request = await readRequest(message)
    requests.push(request)
    answer(request, response, requests.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, requests, waits: clock.waits, client: createClient({ baseUrl: url, clock, ...options }) }
}
