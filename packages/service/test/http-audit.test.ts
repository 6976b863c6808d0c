import type { ServerResponse } from 'node:http'
import { startServer } from '@agentic-rest/testing/start-server'
import { type LogLine, memoryLog } from '@agentic-rest/testing/start-service'
import { describe, expect, it } from 'vitest'
import { type AuditEvent, httpAudit, teeAudit } from '../src/index.ts'

const event: AuditEvent = {
  event_type: 'agentic.response.written',
  tenant_id: 'acme',
  actor_id: 'alice',
  request_id: 'req-1',
  correlation_id: 'corr-1',
  operation: 'create-optimization',
  resource_id: 'opt-1',
  outcome: 'created',
  timestamp: '2026-01-02T03:04:05.678Z',
  attributes: { goal: 'ctr' },
}

interface Post {
  readonly url: string
  readonly authorization: string | undefined
  readonly type: string | undefined
  readonly lines: AuditEvent[]
  readonly bytes: number
}

/** An admin listener that records posts; `answer` may delay or refuse them. */
async function startListener(
  answer: (response: ServerResponse) => void = (response) => response.writeHead(204).end(),
) {
  const posts: Post[] = []
  const { url } = await startServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const { authorization, 'content-type': type } = request.headers
    const lines = text.split('\n').map((line) => JSON.parse(line))
    posts.push({ url: request.url ?? '', authorization, type, lines, bytes: Buffer.byteLength(text) })
    answer(response)
  })
  return { posts, url: `${url}/api/records?part=campaigns` }
}

const told = (lines: readonly LogLine[]) => lines.map(({ message }) => message)
const received = (posts: readonly Post[]) => posts.flatMap(({ lines }) => lines)

describe('records that are posted', () => {
  it('arrive in batches, in their order, as they were', async () => {
    const { posts, url } = await startListener()
    const audit = httpAudit({ url })
    const events = Array.from({ length: 450 }, (_, index) => ({ ...event, request_id: `r-${index}` }))
    for (const each of events) expect(audit.emit(each)).toBeUndefined()
    await audit.close()
    expect(received(posts)).toEqual(events)
    expect(posts.length).toBeGreaterThan(2)
    for (const { bytes, lines, ...post } of posts) {
      expect(post).toEqual({
        url: '/api/records?part=campaigns',
        authorization: undefined,
        type: 'application/x-ndjson',
      })
      expect(bytes).toBeLessThan(48 * 1024)
      expect(lines.length).toBeLessThanOrEqual(250)
    }
  })

  it('arrive by themselves, without a close', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { posts, url } = await startListener((response) => {
      response.writeHead(204).end()
      resolve()
    })
    httpAudit({ url }).emit(event)
    await promise
    expect(received(posts)).toEqual([event])
  })

  it('carry the token of an identity, which hears when it is refused', async () => {
    const refused: string[] = []
    const identity = {
      authorization: async () => 'Bearer t',
      refused: (value: string) => void refused.push(value),
    }
    const { posts, url } = await startListener((response) => response.writeHead(401).end())
    const { log } = memoryLog()
    const audit = httpAudit({ url, identity, log })
    audit.emit(event)
    await audit.close()
    expect([posts[0]?.authorization, refused]).toEqual(['Bearer t', ['Bearer t']])
  })

  it('are not sent on to where a redirect points', async () => {
    const other = await startListener()
    const { url } = await startListener((response) => response.writeHead(307, { location: other.url }).end())
    const { log, lines } = memoryLog()
    const audit = httpAudit({ url, log })
    audit.emit(event)
    await audit.close()
    expect([other.posts, told(lines)]).toEqual([[], ['audit records do not reach the admin listener']])
  })
})

describe('a listener that is not there', () => {
  it('costs records, and one line in the log when it begins and one when it ends', async () => {
    const state = { status: 503 }
    const { url } = await startListener((response) => response.writeHead(state.status).end())
    const { log, lines } = memoryLog()
    const audit = httpAudit({ url, log })
    for (let round = 0; round < 3; round += 1) {
      audit.emit(event)
      await audit.close()
    }
    expect(told(lines)).toEqual(['audit records do not reach the admin listener'])
    state.status = 204
    audit.emit(event)
    await audit.close()
    expect(told(lines)).toEqual([
      'audit records do not reach the admin listener',
      'audit records reach the admin listener again',
    ])
  })

  it('never throws at who emits, also when nobody listens at the address', async () => {
    const { log, lines } = memoryLog()
    const audit = httpAudit({ url: 'http://127.0.0.1:9/api/records?part=x', log })
    audit.emit(event)
    await audit.close()
    expect(told(lines)).toEqual(['audit records do not reach the admin listener'])
  })

  it('fills no memory: beyond 8192 records the newest are lost', async () => {
    const held: ServerResponse[] = []
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    const { posts, url } = await startListener((response) => {
      held.push(response)
      resolve()
    })
    const { log, lines } = memoryLog()
    const audit = httpAudit({ url, log })
    audit.emit(event)
    const closed = audit.close()
    await asked
    for (let index = 0; index < 9_000; index += 1) audit.emit({ ...event, request_id: `r-${index}` })
    expect(told(lines)).toEqual(['audit records do not reach the admin listener'])
    for (const response of held.splice(0)) response.writeHead(204).end()
    const release = setInterval(() => {
      for (const response of held.splice(0)) response.writeHead(204).end()
    }, 1)
    await closed
    clearInterval(release)
    expect(received(posts)).toHaveLength(1 + 8_192)
  })

  it('does not get a record that is far too long', async () => {
    const { posts, url } = await startListener()
    const { log, lines } = memoryLog()
    const audit = httpAudit({ url, log })
    audit.emit({ ...event, attributes: { text: 'x'.repeat(20_000) } })
    audit.emit(event)
    await audit.close()
    expect(received(posts)).toEqual([event])
    expect(lines[0]?.message).toBe('audit records do not reach the admin listener')
  })
})

it.each(['', '/api/records?part=x', 'ftp://h/?part=x', 'http://127.0.0.1:8090/api/records'])(
  'the address %j is refused when the emitter is made',
  (url) => {
    expect(() => httpAudit({ url })).toThrow(
      'the url of records has to be an absolute http or https URL that names the part',
    )
  },
)

describe('several emitters', () => {
  it('each get every record, and one that fails stops no other', async () => {
    const seen: AuditEvent[] = []
    const failing = {
      emit: () => {
        throw new Error('no')
      },
    }
    const tee = teeAudit(failing, undefined, { emit: (each) => void seen.push(each) })
    await expect(tee.emit(event)).rejects.toThrow('not every emitter took the record')
    expect(seen).toEqual([event])
    await expect(teeAudit(undefined).emit(event)).resolves.toBeUndefined()
  })
})
