import type { ServerResponse } from 'node:http'
import { eventually } from '@agentic-rest/testing/eventually'
import { startUpstream } from '@agentic-rest/testing/start-upstream'
import type { Provocation } from './provocation.ts'
import { askItems, other, type StartObserved } from './start-observed.ts'

const KEY = { 'idempotency-key': 'key-1' }

/** Sends a request with a key to a service, and when the service has it, the same request again. */
async function repeated(start: StartObserved, answer: (response: ServerResponse) => void) {
  const { url: target, requests } = await startUpstream((_request, response) => answer(response))
  const gateway = await start({ route: { target, idempotency: { mode: 'required' } } })
  const first = askItems(gateway, { headers: { ...KEY, ...other } }).catch(() => undefined)
  await eventually(
    () => requests.length,
    (count) => count === 1,
  )
  return { first, again: () => askItems(gateway, { headers: KEY }) }
}

/** Codes for a key that was used before. */
export const repeatedKeys = {
  IDEMPOTENCY_IN_PROGRESS: {
    step: 'idempotency',
    async provoke(start) {
      const { again } = await repeated(start, () => undefined)
      return await again()
    },
  },
  IDEMPOTENCY_OUTCOME_UNKNOWN: {
    step: 'idempotency',
    async provoke(start) {
      const { first, again } = await repeated(start, (response) => response.destroy())
      await first
      return await again()
    },
  },
  IDEMPOTENCY_NOT_REPLAYABLE: {
    step: 'idempotency',
    async provoke(start) {
      const { first, again } = await repeated(start, (response) => void response.writeHead(204).end())
      await first
      return await again()
    },
  },
} as const satisfies Readonly<Record<string, Provocation>>
