import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventUpstream, startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { startGateway, type TestGateway } from '@agentic-rest/testing/start-gateway'
import {
  type RedisServer,
  type RedisServerOptions,
  startRedisServer,
} from '@agentic-rest/testing/start-redis-server'
import { testWith } from '@agentic-rest/testing/test-with'
import { onTestFinished } from 'vitest'
import type { LeaseTimes } from '../../src/limits/streams/lease-store.ts'
import { leaseKey } from '../../src/limits/streams/redis-lease-store.ts'
import { createStreamSlots } from '../../src/limits/streams/shared-slots.ts'
import { quickTimes } from './quick-times.ts'

/** Makes the Redis of a test; it ends with the test. */
export type StartRedis = (options?: Pick<RedisServerOptions, 'settings' | 'address'>) => Promise<RedisServer>

/** A test with its own Redis. */
export function testWithRedis(title: string, body: (startRedis: StartRedis) => Promise<void>): void {
  testWith('redis-server', title, (program) =>
    body(async (options) => {
      const folder = mkdtempSync(join(tmpdir(), 'agentic-redis-'))
      const redis = await startRedisServer({ program, folder, ...options })
      onTestFinished(async () => {
        await redis.stop()
        rmSync(folder, { recursive: true, force: true })
      })
      return redis
    }),
  )
}

/** A gateway with a shared limit, and its state. */
export interface SharedGateway extends TestGateway {
  readonly streamUrl: string
  /** The degraded reasons of `/readyz`. */
  degraded(): Promise<readonly string[]>
  /** Messages and reasons of the log lines about the shared limit. */
  told(): readonly string[]
  untilShared(): Promise<unknown>
  untilLocal(): Promise<unknown>
}

/** The common options of a test's gateways. */
export interface SharedSetting {
  /** The address of Redis. */
  readonly url: string
  readonly upstream: EventUpstream
  readonly limit?: number
  readonly times?: LeaseTimes
  readonly caFile?: string
}

/** Starts one of several gateways. */
export async function startSharedGateway(setting: SharedSetting): Promise<SharedGateway> {
  const { url, upstream, limit = 10, times = quickTimes, caFile } = setting
  const shared = { redis_url: url, ...(caFile === undefined ? {} : { ca_file: caFile }) }
  const gateway = await startGateway(
    {
      gateway: { shared, llm: { max_sse_connections_per_tenant: limit } },
      routes: [{ id: 'llm', method: 'POST', path: '/llm', target: upstream.url, mode: 'sse' }],
    },
    {
      streamSlots: (streamLimit, world) => createStreamSlots(streamLimit, { ...world, times }),
    },
  )
  const fallback = async () => metricValue(await gateway.metrics(), 'agentic_gateway_shared_limit_fallback')
  return {
    ...gateway,
    streamUrl: `${gateway.url}/llm`,
    async degraded() {
      const body = await (await fetch(`${gateway.url}/readyz`)).json()
      return (body as { degraded: string[] }).degraded
    },
    told: () =>
      gateway.log
        .filter(({ msg }) => String(msg).includes('stream limit'))
        .map(({ msg, reason = '' }) => `${msg} ${reason}`.trim()),
    untilShared: () => eventually(fallback, (value) => value === 0),
    untilLocal: () => eventually(fallback, (value) => value === 1),
  }
}

/** Three gateways with one upstream and one Redis. */
export async function startThree(url: string, more: Partial<SharedSetting> = {}) {
  const upstream = await startEventUpstream()
  const start = () => startSharedGateway({ url, upstream, ...more })
  const gateways = [await start(), await start(), await start()] as const
  return { upstream, gateways, start }
}

/** The number of leases in Redis for a tenant, ended ones included. */
export async function leases(redis: RedisServer, tenantId = 'acme'): Promise<number> {
  return Number(await redis.command('ZCARD', leaseKey(tenantId)))
}

/** All keys in Redis. */
export async function keysLeft(redis: RedisServer): Promise<readonly string[]> {
  return (await redis.command('KEYS', '*')) as string[]
}

/** The log line of a gateway that shares its limit. */
export const sharedLine = 'the stream limit is shared with other gateways'
/** The log message of a gateway without Redis. */
export const aloneLine = (reason: string) =>
  `the stream limit is not shared, this gateway keeps it for itself ${reason}`
/** The degraded reason of `/readyz` without Redis. */
export const aloneReason =
  'shared limits: the store is out of reach, this gateway keeps the stream limit for itself'
