import { headerValues } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'
import { expectInvalid } from './harness/expect-outcome.ts'
import type { RawResponse } from './harness/raw-client.ts'
import { openConnection } from './harness/raw-connection.ts'

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** A gateway and one question to it: the answer, and the ids that the upstream was given. */
async function ask(headers: string, path = '/r') {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
  const { port } = await startGateway({
    routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
  })
  const { send, response } = await openConnection(port)
  send(Buffer.from(`GET ${path} HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\n${headers}\r\n`, 'latin1'))
  const answer = await response()
  const received = upstream.requests.map((request) => ({
    correlationId: headerValues(request, 'x-correlation-id'),
    requestId: headerValues(request, 'x-request-id'),
  }))
  return { answer, received }
}

const idsOf = (answer: RawResponse) => ({
  correlationId: headerValues(answer, 'x-correlation-id'),
  requestId: headerValues(answer, 'x-request-id'),
})

const badId = (field: string) => ({ field, message: 'must be 1 to 256 printable ASCII characters' })

describe('the two ids of a request', () => {
  it.each([
    ['one character', 'a'],
    ['256 characters', 'x'.repeat(256)],
    ['every printable mark', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'],
    ['blanks inside', 'one two  three'],
    ['a UUID in upper case', 'A987FBC9-4BED-4078-8F07-9141BA07C9F3'],
    ['what looks like a prototype', '__proto__'],
  ])('are taken as sent, forwarded unchanged and echoed once: %s', async (_title, id) => {
    const { answer, received } = await ask(`X-Correlation-ID: ${id}\r\nx-request-id: ${id}\r\n`)
    expect(answer.status).toBe(200)
    expect(received).toEqual([{ correlationId: [id], requestId: [id] }])
    expect(idsOf(answer)).toEqual({ correlationId: [id], requestId: [id] })
  })

  it('lose the blanks around them, which HTTP does not count', async () => {
    const { answer, received } = await ask('X-Correlation-ID:  c \t\r\nX-Request-ID:r\r\n')
    expect(received).toEqual([{ correlationId: ['c'], requestId: ['r'] }])
    expect(idsOf(answer)).toEqual({ correlationId: ['c'], requestId: ['r'] })
  })

  it.each([
    ['absent', ''],
    ['empty', 'X-Correlation-ID:\r\nX-Request-ID: \r\n'],
  ])('are two different UUIDs of version 4 when they are %s', async (_title, headers) => {
    const { answer, received } = await ask(headers)
    expect(answer.status).toBe(200)
    const { correlationId, requestId } = idsOf(answer)
    expect(correlationId).toEqual([expect.stringMatching(uuid4)])
    expect(requestId).toEqual([expect.stringMatching(uuid4)])
    expect(correlationId).not.toEqual(requestId)
    expect(received).toEqual([{ correlationId, requestId }])
  })

  it('are taken one by one: one is sent, the other is made', async () => {
    const { answer } = await ask('X-Request-ID: mine\r\n')
    expect(idsOf(answer)).toEqual({ correlationId: [expect.stringMatching(uuid4)], requestId: ['mine'] })
  })

  it.each([
    ['257 characters', 'x'.repeat(257)],
    ['a letter outside ASCII', 'caf\xe9'],
    ['UTF-8', Buffer.from('café').toString('latin1')],
    ['a tab inside', 'a\tb'],
  ])(
    'are refused by name when one is not printable ASCII of at most 256 characters: %s',
    async (_title, id) => {
      const correlation = await ask(`X-Correlation-ID: ${id}\r\nX-Request-ID: good\r\n`)
      expectInvalid(correlation.answer, [badId('X-Correlation-ID')])
      expect(idsOf(correlation.answer)).toEqual({
        correlationId: [expect.stringMatching(uuid4)],
        requestId: ['good'],
      })
      expect(correlation.received).toEqual([])
      const request = await ask(`X-Request-ID: ${id}\r\n`)
      expectInvalid(request.answer, [badId('X-Request-ID')])
      expect(request.received).toEqual([])
    },
  )

  it('are refused both, each by its name', async () => {
    const { answer } = await ask('X-Correlation-ID: \xff\r\nX-Request-ID: \xff\r\n')
    expectInvalid(answer, [badId('X-Correlation-ID'), badId('X-Request-ID')])
  })

  it('are echoed by refusals and by the endpoints of the gateway itself', async () => {
    const ids = { correlationId: ['c'], requestId: ['r'] }
    const headers = 'X-Correlation-ID: c\r\nX-Request-ID: r\r\n'
    const paths = ['/none', '/healthz', '/metrics', '/%00']
    for (const path of paths) expect(idsOf((await ask(headers, path)).answer), path).toEqual(ids)
  })
})
