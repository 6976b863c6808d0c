import { Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { eventually } from '@agentic-rest/testing/eventually'
import { ids } from '@agentic-rest/testing/send-request'
import { startUpstream } from '@agentic-rest/testing/start-upstream'
import { onTestFinished } from 'vitest'
import { definePlugin } from '../../packages/gateway/src/index.ts'
import type { Provocation, ProvokedAnswer } from './provocation.ts'
import {
  askItems,
  type ObservedConfig,
  type ObservedGateway,
  other,
  type StartObserved,
} from './start-observed.ts'

/** Starts a gateway with one request that its service never answers. */
async function startBusy(start: StartObserved, config: ObservedConfig = {}): Promise<ObservedGateway> {
  const upstream = await startUpstream(() => undefined)
  const gateway = await start({ ...config, route: { target: upstream.url } })
  void askItems(gateway, { headers: other }).catch(() => undefined)
  await eventually(
    () => upstream.requests.length,
    (count) => count === 1,
  )
  return gateway
}

/** A connection that was open before the drain: afterwards no new one is accepted. */
function openConnection({ port }: ObservedGateway) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return (method: string, path: string) =>
    new Promise<ProvokedAnswer>((resolve, reject) => {
      const headers = {
        'x-tenant-id': 'acme',
        'x-correlation-id': ids.correlationId,
        'x-request-id': ids.requestId,
      }
      const sent = request({ agent, port, host: '127.0.0.1', method, path, headers }, (response) => {
        buffer(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
      })
      sent.on('error', reject).end()
    })
}

/** Codes for the fault of the gateway itself. */
export const failedGateway = {
  OVERLOADED: {
    step: 'admit',
    rule: 'max_in_flight',
    async provoke(start) {
      const limits = { max_in_flight: 1, max_in_flight_per_tenant: 1 }
      return await askItems(await startBusy(start, { gateway: { limits } }))
    },
  },
  SHUTTING_DOWN: {
    step: 'admit',
    async provoke(start) {
      const gateway = await startBusy(start)
      const ask = openConnection(gateway)
      await ask('GET', '/healthz')
      void gateway.gateway.drain()
      // Requests are refused once the last connection is accepted.
      await eventually(
        () =>
          fetch(`${gateway.url}/healthz`).then(
            () => false,
            () => true,
          ),
        (isRefused) => isRefused,
      )
      return await ask('POST', '/items/7')
    },
  },
  PLUGIN_FAILED: {
    step: 'mine',
    cause: 'RangeError',
    async provoke(start) {
      const request = () => {
        throw new RangeError('a secret')
      }
      const plugin = definePlugin({ name: 'mine', create: () => ({ request }) })
      return await askItems(await start({ options: { plugins: [plugin] } }))
    },
  },
  SANITIZE_FAILED: {
    step: 'prompt-sanitize',
    cause: 'CannotSanitizeError',
    async provoke(start) {
      // Every redaction makes a new match.
      const rules = [{ name: 'endless', keywords: ['ab'], replacement: '' }]
      const gateway = await start({ plugins: { 'prompt-sanitize': { rules } } })
      const body = JSON.stringify(`${'a'.repeat(20)}${'b'.repeat(20)}`)
      return await askItems(gateway, { headers: { 'content-type': 'application/json' }, body })
    },
  },
  INTERNAL_ERROR: {
    step: 'take-slot',
    cause: 'EIO',
    async provoke(start) {
      // No request finds a fault in the gateway: a store of stream slots that breaks its contract stands for one.
      const streamSlots = () => ({
        take: () => Promise.reject(Object.assign(new Error('a secret'), { code: 'EIO' })),
        held: () => 0,
        scope: () => 'local' as const,
        close: () => Promise.resolve(),
      })
      const gateway = await start({ route: { mode: 'sse' }, options: { streamSlots } })
      return await askItems(gateway, { headers: { accept: 'text/event-stream' } })
    },
  },
} as const satisfies Readonly<Record<string, Provocation>>
