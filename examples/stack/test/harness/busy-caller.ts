import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, createClient } from '@agentic-rest/client'
import { expect } from 'vitest'
import { requestToken, urlOf } from '../../src/index.ts'

/** Somebody who sends one request after the other, each with a key of its own, whatever becomes of them. */
export interface BusyCaller {
  /** What was answered with a success so far. */
  readonly acknowledged: readonly Acknowledged[]
  /** Stops sending; resolves when the last request has ended. */
  stop(): Promise<void>
  /** Asks for everything again: each acknowledged effect is still there, and no request had more than one. */
  expectNothingLost(): Promise<void>
}

interface Acknowledged {
  readonly key: string
  readonly id: string
}

const PRODUCT = 'prd-127'
const PAUSE_MS = 15
const TIMEOUT_MS = 5_000

/** Begins to send requests for agent A, each of which has an effect at agent B too. */
export async function startBusyCaller(portBase: number): Promise<BusyCaller> {
  const token = await requestToken({ portBase, sub: 'alice' })
  const client = createClient({ baseUrl: urlOf('gateway', portBase), token, timeoutMs: TIMEOUT_MS })
  const inventory = createClient({ baseUrl: urlOf('inventory-gateway', portBase), token })
  const run = randomUUID()
  const acknowledged: Acknowledged[] = []
  let count = 0
  let stopped = false
  const sending = (async () => {
    for (; !stopped; count += 1) {
      const key = `${run}-${count}`
      // Parts are killed meanwhile: what is not answered is nobody's promise.
      const id = await recommend(client, key).catch(() => undefined)
      if (id !== undefined) acknowledged.push({ key, id })
      // Wait: the caller asks at a pace.
      await pause(PAUSE_MS)
    }
  })()
  return {
    acknowledged,
    async stop() {
      stopped = true
      await sending
    },
    async expectNothingLost() {
      for (const { key, id } of acknowledged) expect(await recommend(client, key)).toBe(id)
      const looks = await looksPerKey(inventory, run)
      expect(acknowledged.filter(({ key }) => !looks.has(key))).toEqual([])
      expect([...looks].filter(([, ids]) => ids.length > 1)).toEqual([])
    },
  }
}

async function recommend(client: Client, idempotencyKey: string): Promise<string | undefined> {
  const path = '/products/{productId}/recommendations'
  const request = { method: 'POST', path, params: { productId: PRODUCT }, body: {}, idempotencyKey }
  const answer = await client.request<{ id: string }>(request)
  return answer.type === 'created' ? answer.body.id : undefined
}

interface CheckPage {
  readonly items: readonly { readonly id: string; readonly idempotencyKey: string | null }[]
  readonly next: string | null
}

async function looksPerKey(inventory: Client, run: string): Promise<Map<string, string[]>> {
  const looks = new Map<string, string[]>()
  for (let cursor: string | undefined; ; ) {
    const path = '/inventory/{productId}/stock-checks'
    const page = await inventory.request<CheckPage>({
      method: 'GET',
      path,
      params: { productId: PRODUCT },
      query: { cursor },
    })
    if (page.type !== 'success') expect.fail(`the list of looks is answered with ${page.type}`)
    for (const { id, idempotencyKey: key } of page.body.items) {
      if (key?.startsWith(run)) looks.set(key, [...(looks.get(key) ?? []), id])
    }
    if (page.body.next === null) return looks
    cursor = page.body.next
  }
}
