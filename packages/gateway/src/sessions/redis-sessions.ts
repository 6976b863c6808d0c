import { hash } from 'node:crypto'
import { parseOwnJson } from '@agentic-rest/profile'
import type { RedisClient } from '../redis/redis-client.ts'
import { linkTimes, RedisLink, type RedisUse } from '../redis/redis-link.ts'
import type { Ended, Grant, Session, SessionListener, SessionStore } from './session-store.ts'

const PREFIX = 'agentic:session:v1:'
/** The most sessions of all gateways of one Redis. */
const MOST_IN_REDIS = 100_000

/**
 * KEYS: the session, the sessions of its listener and those of the other by their end, the indexes of its person. ARGV: id,
 * session, time to live, end, now, bound, prefix, `1` for a session that must be there.
 */
const KEEP = `
if ARGV[8] == '1' and redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
for i = 4, #KEYS do
  redis.call('SADD', KEYS[i], ARGV[1])
  if redis.call('PTTL', KEYS[i]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[i], ARGV[3]) end
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
local size = 0
for i = 2, 3 do
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', ARGV[5])
  size = size + redis.call('ZCARD', KEYS[i])
end
local dropped = 0
while size > tonumber(ARGV[6]) do
  local own = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
  local other = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')
  local isOther = other[2] and (not own[2] or tonumber(other[2]) < tonumber(own[2]))
  redis.call('DEL', ARGV[7] .. redis.call('ZPOPMIN', isOther and KEYS[3] or KEYS[2])[1])
  size = size - 1
  dropped = dropped + 1
end
return dropped`

/** KEYS: the index, the sessions of both listeners. ARGV: the prefix. */
const END_ALL = `
local ended = 0
for _, id in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  ended = ended + redis.call('DEL', ARGV[1] .. id)
  redis.call('ZREM', KEYS[2], id)
  redis.call('ZREM', KEYS[3], id)
end
redis.call('DEL', KEYS[1])
return ended`

const keyOf = (id: string) => `${PREFIX}s:${id}`
const setOf = (listener: SessionListener) => `${PREFIX}${listener}`
const both = [setOf('main'), setOf('admin')]

function indexOf(issuer: string, kind: 'sub' | 'sid', value: string): string {
  return `${PREFIX}of:${hash('sha256', JSON.stringify([issuer, kind, value]), 'base64url')}`
}

function indexesOf({ issuer, subject, sid }: Grant): string[] {
  const bySid = sid === undefined ? [] : [indexOf(issuer, 'sid', sid)]
  return [indexOf(issuer, 'sub', subject), ...bySid]
}

/** What sessions in Redis are made with. */
export interface RedisSessionOptions extends RedisUse {
  readonly onDropped: (most: number) => void
  readonly most?: number | undefined
}

type Counts = Readonly<Record<SessionListener, number>>

/** Sessions that all gateways of one Redis share. Connected with the first use. */
export class RedisSessions implements SessionStore {
  readonly #options: RedisSessionOptions
  readonly #link: RedisLink<RedisClient>
  #counts: Counts = { main: 0, admin: 0 }

  constructor(options: RedisSessionOptions) {
    this.#options = options
    this.#link = new RedisLink<RedisClient>({
      ...options,
      times: linkTimes,
      connect: (open) => open(),
      enter: (client) => this.#read(client),
      found: 'the sessions of browsers are shared with other gateways',
      missing: 'the store of sessions is out of reach',
    })
  }

  find(id: string): Promise<Session | undefined> {
    return this.#run(async (client) => readSession(await client.get(keyOf(id))))
  }

  add(id: string, session: Session): Promise<void> {
    return this.#keep(id, session, false)
  }

  replace(id: string, session: Session): Promise<void> {
    return this.#keep(id, session, true)
  }

  end(id: string): Promise<Session | undefined> {
    return this.#run(async (client) => {
      const read = client.get(keyOf(id))
      await Promise.all([client.del(keyOf(id)), ...both.map((set) => client.zRem(set, id))])
      return readSession(await read)
    })
  }

  endAll({ issuer, subject = '', sid }: Ended): Promise<number> {
    const index = sid === undefined ? indexOf(issuer, 'sub', subject) : indexOf(issuer, 'sid', sid)
    const options = { keys: [index, ...both], arguments: [keyOf('')] }
    return this.#run(async (client) => Number(await client.eval(END_ALL, options)))
  }

  claim(name: string, ms: number): Promise<boolean> {
    const key = `${PREFIX}claim:${hash('sha256', name, 'base64url')}`
    const options = { condition: 'NX', expiration: { type: 'PX', value: ms } } as const
    return this.#run(async (client) => (await client.set(key, '1', options)) === 'OK')
  }

  /** The numbers that the last call has read: a scrape does not wait. */
  count(): Counts {
    const { store } = this.#link
    if (store !== undefined) void this.#read(store).catch(() => undefined)
    return this.#counts
  }

  isReachable(): boolean {
    return !this.#link.isAlone
  }

  close(): Promise<void> {
    return this.#link.close()
  }

  async #run<Value>(act: (client: RedisClient) => Promise<Value>): Promise<Value> {
    await this.#link.open()
    return await this.#link.ask(act)
  }

  #keep(id: string, session: Session, isReplaced: boolean): Promise<void> {
    const { most = MOST_IN_REDIS, onDropped } = this.#options
    const { listener, endsAt, grant } = session
    const now = Date.now()
    const sets = [setOf(listener), setOf(listener === 'main' ? 'admin' : 'main')]
    const times = [Math.max(1, endsAt - now), endsAt, now, most].map(String)
    const words = [id, JSON.stringify(session), ...times, keyOf(''), isReplaced ? '1' : '0']
    const keys = [keyOf(id), ...sets, ...(grant === undefined ? [] : indexesOf(grant))]
    return this.#run(async (client) => {
      if ((await client.eval(KEEP, { keys, arguments: words })) !== 0) onDropped(most)
    })
  }

  async #read(client: RedisClient): Promise<void> {
    const now = Date.now()
    const [main = 0, admin = 0] = await Promise.all(both.map((set) => client.zCount(set, now, '+inf')))
    this.#counts = { main, admin }
  }
}

function readSession(text: string | null): Session | undefined {
  return text === null ? undefined : (parseOwnJson(text) as Session)
}
