import { metricValue } from '@agentic-rest/testing/metric-value'
import { headerValues, ids, sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startTcpUpstream, traceOf } from '@agentic-rest/testing/start-upstream'
import { untilRead } from '@agentic-rest/testing/until-read'
import { describe, expect, it } from 'vitest'
import { expectOwnHeaders, expectRefusal } from './harness/expect-refusal.ts'
import { startTypedPair } from './harness/typed-upstream.ts'

const VENDOR = 'application/vnd.agentic.error+json'
const SECRET = 'SECRET-of-the-upstream'
const generic = (trace: unknown, more: object = {}) => ({
  type: 'error',
  code: 'SERVICE_FAILED',
  message: SECRET,
  ...more,
  ...(trace === undefined ? {} : { trace }),
})

describe('a typed body without a proper trace becomes 500 TRACE_MISSING', () => {
  it.each<[string, unknown]>([
    ['no trace', generic(undefined)],
    ['null as trace', generic(null)],
    ['a text as trace', generic('corr-1 req-1')],
    ['a number as trace', generic(7)],
    ['a list as trace', generic([ids.correlationId, ids.requestId])],
    ['an empty trace', generic({})],
    ['no requestId', generic({ correlationId: ids.correlationId })],
    ['no correlationId', generic({ requestId: ids.requestId })],
    ['empty ids', generic({ correlationId: '', requestId: '' })],
    ['one empty id', generic({ ...ids, requestId: '' })],
    ['ids that are no texts', generic({ correlationId: 1, requestId: true })],
    ['ids in objects', generic({ correlationId: { toString: 1 }, requestId: [ids.requestId] })],
    ['other names', generic({ correlation_id: ids.correlationId, request_id: ids.requestId })],
    ['a list as body', [generic(ids)]],
    ['a text as body', '"text"'],
    ['null as body', 'null'],
    ['a number as body', '1'],
    ['a trace in the prototype', `{"__proto__":{"trace":${JSON.stringify(ids)}},"message":"${SECRET}"}`],
    [
      'ids in the prototype of the trace',
      `{"trace":{"__proto__":${JSON.stringify(ids)}},"message":"${SECRET}"}`,
    ],
    ['a trace one level down', { body: generic(ids), message: SECRET }],
  ])('%s', async (_title, body) => {
    for (const conformance of ['enforce', 'report', 'off']) {
      const pair = await startTypedPair({ conformance })
      pair.next = {
        status: 500,
        type: VENDOR,
        headers: ['X-Internal', SECRET, 'Set-Cookie', `s=${SECRET}`],
        body,
      }
      const answer = await sendRequest(`${pair.url}/r`)
      expectRefusal(answer, 500, 'TRACE_MISSING')
      expect(answer.rawHeaders.join()).not.toContain(SECRET)
      expect(pair.upstream.requests).toHaveLength(1)
      expect(metricValue(await pair.metrics(), 'agentic_requests_total', { outcome: 'error' })).toBe(1)
    }
  })
})

describe('a typed body with the trace of another request becomes 500 TRACE_MISMATCH', () => {
  it.each<[string, object]>([
    ['another correlationId', { ...ids, correlationId: 'corr-2' }],
    ['another requestId', { ...ids, requestId: 'req-2' }],
    ['both swapped', { correlationId: ids.requestId, requestId: ids.correlationId }],
    ['other case', { ...ids, correlationId: 'CORR-1' }],
    ['white space', { ...ids, correlationId: ' corr-1' }],
    ['a longer id', { ...ids, requestId: 'req-11' }],
  ])('%s', async (_title, trace) => {
    const pair = await startTypedPair({ conformance: 'off' })
    pair.next = { status: 409, type: 'application/vnd.agentic.conflict+json', body: generic(trace) }
    const answer = await sendRequest(`${pair.url}/r`)
    expectRefusal(answer, 500, 'TRACE_MISMATCH')
    expect(answer.body.toString()).not.toContain(SECRET)
  })
})

describe('a typed body that cannot be read becomes 500 INVALID_AGENTIC_RESPONSE', () => {
  it.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['white space', ' \n'],
    ['half of JSON', `{"message":"${SECRET}"`],
    ['HTML', `<h1>${SECRET}</h1>`],
    ['two values', '{}{}'],
    ['a trailing comma', `{"trace":${JSON.stringify(ids)},}`],
    ['NaN', 'NaN'],
    [
      'bytes that are not UTF-8',
      Buffer.concat([Buffer.from('{"m":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
    ],
    ['UTF-16', Buffer.from(JSON.stringify(generic(ids)), 'utf16le')],
  ])('%s', async (_title, body) => {
    const pair = await startTypedPair()
    pair.next = { status: 500, type: VENDOR, body }
    const answer = await sendRequest(`${pair.url}/r`)
    expectRefusal(answer, 500, 'INVALID_AGENTIC_RESPONSE')
    expect(answer.body.toString()).not.toContain(SECRET)
  })

  const limits = { limits: { max_agentic_response_bytes: 2000 } }
  const sized = (length: number) => {
    const body = JSON.stringify(generic(ids, { message: '' }))
    return body.replace('"message":""', `"message":"${'m'.repeat(length - body.length)}"`)
  }

  it('one byte more than max_agentic_response_bytes', async () => {
    const pair = await startTypedPair({}, { gateway: limits })
    pair.next = { status: 500, type: VENDOR, headers: ['Content-Length', '2001'], body: sized(2001) }
    expectRefusal(await sendRequest(`${pair.url}/r`), 500, 'INVALID_AGENTIC_RESPONSE')
    pair.next = { status: 500, type: VENDOR, headers: ['Transfer-Encoding', 'chunked'], body: sized(2001) }
    expectRefusal(await sendRequest(`${pair.url}/r`), 500, 'INVALID_AGENTIC_RESPONSE')
  })

  it('while exactly that many pass', async () => {
    const pair = await startTypedPair({ conformance: 'enforce' }, { gateway: limits })
    pair.next = { status: 500, type: VENDOR, body: sized(2000) }
    const answer = await sendRequest(`${pair.url}/r`)
    expect(answer).toMatchObject({ status: 500, complete: true })
    expect(answer.body.toString()).toBe(sized(2000))
  })

  it('without end: the upstream is cut off at the limit', async () => {
    let sent = 0
    const upstream = await startTcpUpstream((socket) =>
      socket.once('data', () => {
        socket.write(`HTTP/1.1 500 Oops\r\nContent-Type: ${VENDOR}\r\nTransfer-Encoding: chunked\r\n\r\n`)
        const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
        const push = () => {
          while (!socket.destroyed && socket.write(chunk)) sent += 65_536
          socket.once('drain', push)
        }
        push()
      }),
    )
    const { url } = await startGateway({
      routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
    })
    expectRefusal(await sendRequest(`${url}/r`), 500, 'INVALID_AGENTIC_RESPONSE')
    expect(sent).toBeLessThan(30_000_000)
  })
})

describe('a typed body that is cut off midway becomes 424 UPSTREAM_INVALID_RESPONSE', () => {
  const half = '{"type":"error","message":"SECRET'
  it.each<[string, string, 'end' | 'resetAndDestroy']>([
    ['before its length, by closing', 'Content-Length: 500', 'end'],
    ['before its length, by a reset', 'Content-Length: 500', 'resetAndDestroy'],
    ['within a chunk', 'Transfer-Encoding: chunked', 'end'],
    ['without a length, by a reset', 'Connection: close', 'resetAndDestroy'],
  ])('%s', async (_title, framing, how) => {
    const upstream = await startTcpUpstream((socket) =>
      socket.once('data', async () => {
        const chunk = framing.startsWith('Transfer') ? `1f4\r\n${half}` : half
        socket.write(`HTTP/1.1 500 Oops\r\nContent-Type: ${VENDOR}\r\n${framing}\r\n\r\n${chunk}`)
        await untilRead(port)
        socket[how]()
      }),
    )
    const { url, port } = await startGateway({
      routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
    })
    const answer = await sendRequest(`${url}/r`)
    expectRefusal(answer, 424, 'UPSTREAM_INVALID_RESPONSE')
  })
})

describe('a typed body with the trace of its request', () => {
  it('passes byte for byte, with its own headers and white space', async () => {
    const pair = await startTypedPair({ conformance: 'enforce' })
    const body = `\n{ "trace" : {"requestId":"req-1",\t"correlationId":"corr-1"},  "type":"error", "code":"X", "message":"ünï\\u00fc" }\r\n`
    pair.next = { status: 500, type: `${VENDOR}; charset=utf-8`, headers: ['X-Own', 'kept'], body }
    const answer = await sendRequest(`${pair.url}/r`)
    expect(answer).toMatchObject({ status: 500, complete: true })
    expect(answer.body.toString()).toBe(body)
    expect(headerValues(answer, 'content-type')).toEqual([`${VENDOR}; charset=utf-8`])
    expect(headerValues(answer, 'x-own')).toEqual(['kept'])
    expectOwnHeaders(answer)
  })

  it('passes with ids that the gateway made', async () => {
    const pair = await startTypedPair({ conformance: 'enforce' })
    pair.next = (request) => ({ status: 500, type: VENDOR, body: generic(traceOf(request)) })
    const answer = await sendRequest(`${pair.url}/r`, {
      headers: { 'x-correlation-id': '', 'x-request-id': '' },
    })
    expect(answer.status).toBe(500)
    const { trace } = JSON.parse(answer.body.toString())
    expect([trace.correlationId]).toEqual(headerValues(answer, 'x-correlation-id'))
    expect([trace.requestId]).toEqual(headerValues(answer, 'x-request-id'))
  })

  it('passes with `__proto__` among its members when nothing is enforced, and taints nobody', async () => {
    const pair = await startTypedPair({ conformance: 'off' })
    const body = `{"trace":${JSON.stringify(ids)},"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}`
    pair.next = { status: 500, type: VENDOR, body }
    expect((await sendRequest(`${pair.url}/r`)).body.toString()).toBe(body)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it.each([200, 201, 299, 302, 400, 404, 418, 429, 500, 503, 599])(
    'is checked with status %d too',
    async (status) => {
      const pair = await startTypedPair({ conformance: 'off' })
      pair.next = { status, type: VENDOR, body: generic(ids) }
      expect((await sendRequest(`${pair.url}/r`)).status).toBe(status)
      pair.next = { status, type: VENDOR, body: generic(undefined) }
      expectRefusal(await sendRequest(`${pair.url}/r`), 500, 'TRACE_MISSING')
    },
  )
})

describe('what counts as typed', () => {
  const values = {
    typed: [
      ['APPLICATION/VND.AGENTIC.ERROR+JSON'],
      ['Application/Vnd.Agentic.Error+Json; Charset=UTF-8'],
      ['application/vnd.agentic.error+json;charset=utf-8'],
      ['application/vnd.agentic.error+json ; charset=utf-8'],
      ['application/vnd.agentic.error+json;'],
      ['application/vnd.agentic.error+json; =; ;;'],
      ['\tapplication/vnd.agentic.error+json\t'],
      ['application/vnd.agentic.future+json'],
      ['application/vnd.agentic.x'],
      // Not media types, but some client would take them for one of the profile.
      ['application/vnd.agentic.error+json charset=utf-8'],
      ['application/vnd.agentic.error+json, application/json'],
      ['application/json, application/vnd.agentic.error+json'],
      ['application/json', 'application/vnd.agentic.error+json'],
      ['application/vnd.agentic.error+json', 'application/json'],
      ['', 'application/vnd.agentic.error+json'],
      ['application/json; charset=utf-8, application/vnd.agentic.error+json'],
    ],
    untyped: [
      ['application/json'],
      ['application/vnd.agentic+json'],
      ['application/vnd.agenticx.error+json'],
      ['application/x-vnd.agentic.error+json'],
      ['text/plain; note=application/vnd.agentic.error+json'],
      ['text/plain; note="a, application/vnd.agentic.error+json"'],
      ['application/problem+json'],
      [],
    ],
  }
  const headersOf = (list: readonly string[]) => list.flatMap((value) => ['Content-Type', value])

  it.each(values.typed.map((list) => [list]))('%j is', async (list) => {
    const pair = await startTypedPair({ conformance: 'off' })
    pair.next = { status: 500, headers: headersOf(list), body: generic(undefined) }
    expectRefusal(await sendRequest(`${pair.url}/r`), 500, 'TRACE_MISSING')
    const body = JSON.stringify(generic(ids))
    pair.next = { status: 500, headers: headersOf(list), body }
    expect((await sendRequest(`${pair.url}/r`)).body.toString()).toBe(body)
  })

  it.each(values.untyped.map((list) => [list]))('%j is not', async (list) => {
    const pair = await startTypedPair({ conformance: 'off' })
    pair.next = { status: 500, headers: headersOf(list), body: '{"no":"trace"}' }
    const answer = await sendRequest(`${pair.url}/r`)
    expect(answer).toMatchObject({ status: 500, complete: true })
    expect(answer.body.toString()).toBe('{"no":"trace"}')
    expectOwnHeaders(answer)
  })
})

describe('a typed body of great depth', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  const withDeep = (depth: number) => `{"trace":${JSON.stringify(ids)},"deep":${nested(depth)}}`

  it.each(['enforce', 'report', 'off'])('is refused at once with conformance: %s', async (conformance) => {
    const pair = await startTypedPair({ conformance })
    for (const body of [
      nested(65),
      nested(500_000),
      withDeep(64),
      withDeep(450_000),
      '['.repeat(1_000_000),
    ]) {
      pair.next = { status: 500, type: VENDOR, body }
      expectRefusal(await sendRequest(`${pair.url}/r`), 500, 'INVALID_AGENTIC_RESPONSE')
    }
  })

  it('passes with 64 levels', async () => {
    const pair = await startTypedPair({ conformance: 'off' })
    pair.next = { status: 500, type: VENDOR, body: withDeep(63) }
    expect((await sendRequest(`${pair.url}/r`)).body.toString()).toBe(withDeep(63))
  })
})
