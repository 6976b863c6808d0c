import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { freePort } from '@agentic-rest/testing/free-port'
import { makeCertificate, writeFiles } from '@agentic-rest/testing/make-certificate'
import { openStream } from '@agentic-rest/testing/stream-client'
import { expect, test } from 'vitest'
import { startBlackhole } from '../harness/blackhole.ts'
import { startSilentServer } from './silent-server.ts'
import { aloneLine, keysLeft, sharedLine, startSharedGateway, testWithRedis } from './with-redis.ts'

/** The minimal rights of a gateway, as `docs/operations.md` lists them. */
const rights =
  '~agentic:streams:v1:* +select +eval +time +zremrangebyscore +zcard +zadd +zrange +pexpireat +zrem'

testWithRedis('a user with few rights and a database of its own are enough', async (start) => {
  const redis = await start({
    address: (port) => `redis://gate%3Away:p%40ss%2Fword@127.0.0.1:${port}/3`,
  })
  await redis.command('ACL', 'SETUSER', 'gate:way', 'on', '>p@ss/word', ...rights.split(' '))
  const upstream = await startEventUpstream()
  const gateway = await startSharedGateway({ url: redis.url, upstream })
  const client = await openStream({ url: gateway.streamUrl })
  expect(client.response.statusCode).toBe(200)
  expect(gateway.told()).toEqual([sharedLine])
  expect(await keysLeft(redis)).toEqual([])
  expect(await redis.command('INFO', 'keyspace')).toMatch(/^db3:keys=/m)
})

testWithRedis(
  'rediss:// is TLS with the authorities of ca_file, and others are not trusted',
  async (start) => {
    const authority = makeCertificate({ name: 'authority', authority: true })
    const { cert, key } = makeCertificate({ name: 'redis', issuer: authority })
    const files = writeFiles({ cert, key, ca: authority.cert })
    const tlsPort = await freePort()
    const tls = ['--tls-port', String(tlsPort), '--tls-cert-file', files.cert, '--tls-key-file', files.key]
    const { url } = await start({
      settings: [...tls, '--tls-ca-cert-file', files.ca, '--tls-auth-clients', 'no'],
      address: () => `rediss://127.0.0.1:${tlsPort}`,
    })
    const upstream = await startEventUpstream()
    const trusting = await startSharedGateway({ url, upstream, caFile: files.ca })
    expect(trusting.told()).toEqual([sharedLine])
    expect((await openStream({ url: trusting.streamUrl })).response.statusCode).toBe(200)
    const distrusting = await startSharedGateway({ url, upstream })
    expect(distrusting.told()).toEqual([aloneLine('SELF_SIGNED_CERT_IN_CHAIN')])
  },
)

test('an authority file without a certificate ends the start', async () => {
  const { file } = writeFiles({ file: 'no certificate' })
  const upstream = await startEventUpstream()
  const starting = startSharedGateway({ url: 'rediss://127.0.0.1:1', upstream, caFile: file })
  await expect(starting).rejects.toThrow('gateway.shared.ca_file is not a PEM certificate')
})

const strangers = {
  'nobody listens': { url: async () => `redis://127.0.0.1:${await freePort()}`, reason: 'ECONNREFUSED' },
  'packets are dropped': {
    url: async () => `redis://127.0.0.1:${await startBlackhole()}`,
    reason: 'ConnectionTimeoutError',
  },
  'the server is silent': {
    url: async () => `redis://127.0.0.1:${await startSilentServer()}`,
    reason: 'TIMEOUT',
  },
}

test.each(Object.entries(strangers))(
  'where %s a gateway starts and keeps the limit for itself',
  async (_what, { url, reason }) => {
    const upstream = await startEventUpstream()
    const gateway = await startSharedGateway({ url: await url(), upstream, limit: 1 })
    const first = await openStream({ url: gateway.streamUrl })
    const second = await openStream({ url: gateway.streamUrl })
    expect([first, second].map(({ response }) => response.statusCode)).toEqual([200, 429])
    expect(gateway.told()).toEqual([aloneLine(reason)])
  },
)
