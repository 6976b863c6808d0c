import type { ServerResponse } from 'node:http'
import type { TestConfig } from '@agentic-rest/testing/config-text'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { type ReceivedRequest, startUpstream, type TestUpstream } from '@agentic-rest/testing/start-upstream'

/** Answers 200 with the number of the target. */
export const answerNumber = (number: number) => (_request: ReceivedRequest, response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ number }))

/** Starts this many services that answer with their number, from 0. */
export async function startServices(count: number): Promise<TestUpstream[]> {
  return await Promise.all(Array.from({ length: count }, (_, number) => startUpstream(answerNumber(number))))
}

/** The settings of the upstream `service`. */
export type UpstreamSettings = Record<string, unknown>

/** The configuration of a gateway whose routes `GET /r` and `POST /r` lead to the upstream `service`. */
export function upstreamConfig(service: UpstreamSettings, route: Record<string, unknown> = {}): TestConfig {
  return {
    upstreams: { service },
    routes: ['GET', 'POST'].map((method) => ({
      id: method,
      method,
      path: '/r',
      upstream: 'service',
      ...route,
    })),
  }
}

/** Starts a gateway in front of the targets. */
export async function startBalanced(service: UpstreamSettings, route?: Record<string, unknown>) {
  return await startGateway(upstreamConfig(service, route))
}
