import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider'

/** The clients that have registered themselves, kept for later starts. */
export interface ClientStore {
  find(id: string): AdapterPayload | undefined
  add(id: string, client: AdapterPayload): Promise<void>
}

/** Everything that an issuer without a sign-in has to keep: nothing, because only signed tokens are issued. */
export const keepNothing: AdapterFactory = () => emptyAdapter

// A person signs in again for every client, so that each client can be another person.
const kept: ReadonlySet<string> = new Set(['Interaction', 'Grant', 'AuthorizationCode'])
const MAX_ENTRIES = 500

interface Entry {
  readonly payload: AdapterPayload
  readonly expiresAt: number
}

/** Keeps open sign-ins in memory, the oldest of too many are dropped, and registered clients in their store. */
export function keepSignIns(clients: ClientStore): AdapterFactory {
  const entries = new Map<string, Entry>()
  return function adapterOf(model) {
    if (model === 'Client') return clientAdapter(clients)
    return kept.has(model) ? entryAdapter(model, entries) : emptyAdapter
  }
}

const emptyAdapter: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
}

function clientAdapter(clients: ClientStore): Adapter {
  return {
    ...emptyAdapter,
    find: async (id) => clients.find(id),
    upsert: (id, payload) => clients.add(id, payload),
  }
}

function entryAdapter(model: string, entries: Map<string, Entry>): Adapter {
  const keyOf = (id: string) => `${model} ${id}`
  const find = (id: string) => {
    const entry = entries.get(keyOf(id))
    return entry !== undefined && entry.expiresAt > Date.now() ? entry.payload : undefined
  }
  return {
    ...emptyAdapter,
    find: async (id) => find(id),
    async upsert(id, payload, expiresIn = 0) {
      // Set again, an entry becomes the newest one.
      entries.delete(keyOf(id))
      entries.set(keyOf(id), { payload, expiresAt: Date.now() + expiresIn * 1000 })
      for (const oldest of entries.keys()) {
        if (entries.size <= MAX_ENTRIES) break
        entries.delete(oldest)
      }
    },
    // RFC 6749 4.1.2: a code that is used twice is refused.
    async consume(id) {
      const payload = find(id)
      if (payload !== undefined) payload['consumed'] = Math.floor(Date.now() / 1000)
    },
    async destroy(id) {
      entries.delete(keyOf(id))
    },
    async revokeByGrantId(grantId) {
      for (const [key, { payload }] of entries) if (payload.grantId === grantId) entries.delete(key)
    },
  }
}
