import { connect } from 'node:net'
import { eventually } from '@agentic-rest/testing/eventually'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import type { RedisServer } from '@agentic-rest/testing/start-redis-server'
import { expect, onTestFinished } from 'vitest'
import { testWithRedis } from '../shared-limits/with-redis.ts'
import { askingConfig, call, messagesOf, openSession, send } from './asking-service.ts'

const mcp = { public_url: 'https://agents.example.test/mcp', state_secrets: ['s'.repeat(32)] }

/** Two gateways of one Redis, and the service behind them. */
async function startTwo({ url: redis_url }: Pick<RedisServer, 'url'>) {
  const { config, upstream } = await askingConfig(mcp, { shared: { redis_url } })
  return { upstream, one: await startGateway(config), two: await startGateway(config) }
}

async function ask(url: string, headers: Record<string, string>, id: number) {
  const messages = messagesOf(await send(url, { body: { id, ...call }, headers }))
  const { value: asked } = await messages.next()
  expect(asked).toMatchObject({ method: 'elicitation/create' })
  return { asked: String(asked.id), last: async () => (await messages.next()).value }
}

async function answer(url: string, headers: Record<string, string>, [id, goal]: readonly [string, string]) {
  const result = { action: 'accept', content: { goal } }
  expect((await send(url, { body: { id, result }, headers })).statusCode).toBe(202)
}

/** Everything that is published, as Redis sends it. */
function watchChannels({ port }: RedisServer) {
  const seen: string[] = []
  const socket = connect(port, '127.0.0.1', () => socket.write('PSUBSCRIBE *\r\n'))
  onTestFinished(() => void socket.destroy())
  socket.on('data', (chunk) => seen.push(String(chunk)))
  return { text: () => seen.join('') }
}

/** The rights of docs/operations.md. */
const rights =
  '~agentic:streams:v1:* +select +eval +time +zremrangebyscore +zcard +zadd +zrange +pexpireat +zrem &agentic:mcp:v1:* +publish +subscribe'

testWithRedis('an answer of a client of 2025 finds the gateway that asked', async (startRedis) => {
  const redis = await startRedis()
  await redis.command('ACL', 'SETUSER', 'gateway', 'on', '>secret', ...rights.split(' '))
  const { one, two, upstream } = await startTwo({ url: redis.url.replace('//', '//gateway:secret@') })
  const urls = [one.url, two.url]
  const watched = watchChannels(redis)
  await eventually(watched.text, (text) => text.includes('psubscribe'))
  const headers = await openSession(two.url)
  for (const [index, url] of urls.entries()) {
    const { asked, last } = await ask(url, headers, index)
    const other = urls[(index + 1) % urls.length] ?? ''
    // The second answer is dropped.
    await answer(other, headers, [asked, `goal-${index}`])
    await answer(other, headers, [asked, 'second'])
    expect(await last()).toMatchObject({
      id: index,
      result: { structuredContent: { goal: `goal-${index}` } },
    })
  }
  expect(upstream.requests).toHaveLength(2 * urls.length)
  expect(watched.text()).toContain('agentic:mcp:v1:g')
  expect(watched.text()).not.toContain('goal-')
  expect(watched.text()).not.toContain(headers['Mcp-Session-Id'])
})

testWithRedis('a cancellation of a client of 2025 finds the gateway of the call', async (startRedis) => {
  const { one, two, upstream } = await startTwo(await startRedis())
  const headers = await openSession(one.url)
  const params = { name: 'optimize', arguments: { id: 'slow' } }
  void send(one.url, { body: { id: 'a', method: 'tools/call', params }, headers }).catch(() => undefined)
  await eventually(
    () => upstream.requests.length,
    (count) => count === 1,
  )
  const cancelled = { method: 'notifications/cancelled', params: { requestId: 'a' } }
  expect((await send(two.url, { body: cancelled, headers })).statusCode).toBe(202)
  await eventually(one.metrics, (text) => text.includes('outcome="client_disconnect"'))
})

testWithRedis('messages of others in Redis answer no question', async (startRedis) => {
  const redis = await startRedis()
  const { one, two } = await startTwo(redis)
  const headers = await openSession(one.url)
  const { asked, last } = await ask(one.url, headers, 1)
  const process = asked.slice(0, asked.indexOf('-'))
  const session = headers['Mcp-Session-Id']
  const forged = {
    type: 'response',
    id: asked,
    session,
    result: { action: 'accept', content: { goal: 'x' } },
  }
  for (const text of [JSON.stringify(forged), 'v1.a.b.c', '{', 'x'.repeat(2_000_000)]) {
    expect(await redis.command('PUBLISH', `agentic:mcp:v1:${process}`, text)).toBe(1)
    expect(await redis.command('PUBLISH', 'agentic:mcp:v1:all', text)).toBe(2)
  }
  await answer(two.url, await openSession(two.url), [asked, 'of another session'])
  await answer(two.url, headers, [`${process}-1.no-id`, 'of no question'])
  await answer(two.url, headers, [asked, 'own'])
  expect(await last()).toMatchObject({ result: { structuredContent: { goal: 'own' } } })
})

testWithRedis(
  'without Redis answers are dropped and readiness says so, until it is back',
  async (startRedis) => {
    const redis = await startRedis()
    const { one, two } = await startTwo(redis)
    const headers = await openSession(one.url)
    const { asked, last } = await ask(one.url, headers, 1)
    const degradedOf = async (url: string) =>
      JSON.parse(await (await fetch(`${url}/readyz`)).text()).degraded as string[]
    const degraded = async () => [...(await degradedOf(one.url)), ...(await degradedOf(two.url))]
    const missing =
      'mcp: the shared store is out of reach, answers of clients are not passed on to other gateways'
    expect(await degraded()).toEqual([])
    await redis.stop()
    await eventually(degraded, (reasons) => reasons.filter((reason) => reason === missing).length === 2)
    await answer(two.url, headers, [asked, 'dropped'])
    await redis.restart()
    await eventually(degraded, (reasons) => reasons.length === 0)
    await answer(two.url, headers, [asked, 'passed on'])
    expect(await last()).toMatchObject({ result: { structuredContent: { goal: 'passed on' } } })
    const told = two.log.filter(({ msg }) => String(msg).startsWith('answers of MCP clients'))
    expect(told.map(({ level }) => level)).toEqual(['info', 'warn', 'info'])
    expect(JSON.stringify(told)).not.toContain(String(redis.port))
  },
)
