import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, onTestFinished, type TestContext, test, vi } from 'vitest'
import { startFaultProxy } from '../../chaos/fault-proxy.ts'
import { type Fault, faultNamed, faults } from '../../chaos/faults.ts'
import { openFaultyAddress } from '../../chaos/faulty-address.ts'
import { portOf } from '../../packages/gateway/test/plugins/otel-audit/collector.ts'

const REQUEST = 'q'.repeat(320)
const ANSWER = 'a'.repeat(2000)
/** The length of a silence. */
const QUIET_MS = 60
/** The limit of waiting for an expected event. */
const LONGEST_MS = 120_000

/** The events at one end of a connection. */
interface Seen {
  text: string
  ended: boolean
  /** The code of its error, if any. */
  error: string | undefined
  readonly startedAt: number
  firstByteMs: number
  lastByteMs: number
}

function follow(socket: Socket): Seen {
  const seen: Seen = {
    text: '',
    ended: false,
    error: undefined,
    startedAt: performance.now(),
    firstByteMs: Number.NaN,
    lastByteMs: Number.NaN,
  }
  socket.on('data', (bytes) => {
    seen.text += bytes.toString('latin1')
    seen.lastByteMs = performance.now() - seen.startedAt
    if (Number.isNaN(seen.firstByteMs)) seen.firstByteMs = seen.lastByteMs
  })
  socket.on('end', () => {
    seen.ended = true
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    seen.error = error.code
  })
  return seen
}

/**
 * Registers work for the end of a test. Concurrent tests pass the function of their context: the imported `onTestFinished`
 * may belong to another test, which would then close the sockets.
 */
type AtEnd = TestContext['onTestFinished']

/** A server that answers every whole request, and records each connection. */
async function startTcpServer(atEnd: AtEnd) {
  const connections: Seen[] = []
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const seen = follow(socket)
    connections.push(seen)
    let answered = 0
    socket.on('data', () => {
      const whole = Math.floor(seen.text.split('q').length / REQUEST.length)
      for (; answered < whole; answered += 1) socket.write(ANSWER)
    })
    socket.on('end', () => socket.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => void server.close())
  return { port: portOf(server), connections }
}

/** Sends one request through a fault, waits for the expected events, and then for unexpected ones. */
async function ask(fault: Fault, atEnd: AtEnd) {
  const server = await startTcpServer(atEnd)
  const address = await openFaultyAddress(fault, server.port)
  atEnd(() => address.close())
  const socket = connect({ port: address.port, host: '127.0.0.1', allowHalfOpen: true })
  atEnd(() => void socket.destroy())
  const client = follow(socket)
  socket.write(REQUEST)
  const expected = expectations[fault.name]
  const latest = performance.now() + LONGEST_MS
  const settled = () => isAsExpected(client, expected) && hasGot(server.connections[0], expected)
  // Wait: some faults are shown by what does not come within a time.
  while (!settled() && performance.now() < latest) await wait(2)
  // Wait: nothing more may come after the fault, and only time shows that.
  await wait(QUIET_MS)
  return { client, server: server.connections[0], expected }
}

interface Expectation {
  /** The bytes at the server; absent without a connection. */
  readonly request?: string | RegExp
  readonly answer: string | RegExp
  /** The end at the client: normal, with an error code, or none. */
  readonly end: 'end' | 'open' | RegExp
}

const all = { request: REQUEST, answer: ANSWER }
const RESET = /^(ECONNRESET|EPIPE)$/
const expectations: Readonly<Record<string, Expectation>> = {
  refused: { answer: '', end: /^ECONNREFUSED$/ },
  unaccepted: { answer: '', end: 'open' },
  'closed-when-opened': { answer: '', end: /^(end|ECONNRESET|EPIPE)$/ },
  'reset-when-opened': { answer: '', end: RESET },
  'silent-when-opened': { answer: '', end: 'open' },
  'late-when-opened': { ...all, end: 'open' },
  'talkative-when-opened': { request: REQUEST, answer: /^what is it\?\r\n\r\na{2000}$/, end: 'open' },
  'request-late': { ...all, end: 'open' },
  'request-drips': { ...all, end: 'open' },
  'request-closed-before': { request: '', answer: '', end: 'end' },
  'request-closed-in-line': { request: 'q'.repeat(9), answer: '', end: 'end' },
  'request-closed-in-head': { request: 'q'.repeat(60), answer: '', end: 'end' },
  'request-reset-before': { request: '', answer: '', end: RESET },
  'request-reset-in-head': { request: 'q'.repeat(60), answer: '', end: RESET },
  'request-half-closed': { ...all, end: 'end' },
  'request-swallowed': { request: '', answer: '', end: 'open' },
  'request-stalls-in-head': { request: 'q'.repeat(60), answer: '', end: 'open' },
  'request-behind-garbage': { request: /^\0.+\r\nq{320}$/s, answer: ANSWER, end: 'open' },
  'request-before-garbage': { request: /^q{320}\0.+\r\n$/s, answer: ANSWER, end: 'open' },
  'answer-late': { ...all, end: 'open' },
  'answer-too-late': { request: REQUEST, answer: '', end: 'open' },
  'answer-drips': { ...all, end: 'open' },
  'answer-drips-too-slowly': { request: REQUEST, answer: /^a{4,200}$/, end: 'open' },
  'answer-closed-before': { request: REQUEST, answer: '', end: 'end' },
  'answer-closed-in-line': { request: REQUEST, answer: 'a'.repeat(9), end: 'end' },
  'answer-closed-in-head': { request: REQUEST, answer: 'a'.repeat(60), end: 'end' },
  'answer-closed-in-body': { request: REQUEST, answer: 'a'.repeat(900), end: 'end' },
  'answer-closed-after': { ...all, end: 'end' },
  'answer-reset-before': { request: REQUEST, answer: '', end: RESET },
  'answer-reset-in-head': { request: REQUEST, answer: 'a'.repeat(60), end: RESET },
  'answer-reset-in-body': { request: REQUEST, answer: 'a'.repeat(900), end: RESET },
  'answer-reset-after': { ...all, end: RESET },
  'answer-half-closed-in-body': { request: REQUEST, answer: 'a'.repeat(900), end: 'end' },
  'answer-swallowed': { request: REQUEST, answer: '', end: 'open' },
  'answer-stalls-in-head': { request: REQUEST, answer: 'a'.repeat(60), end: 'open' },
  'answer-stalls-in-body': { request: REQUEST, answer: 'a'.repeat(900), end: 'open' },
  'answer-behind-garbage': { request: REQUEST, answer: /^\0.+\r\na{2000}$/s, end: 'open' },
  'answer-before-garbage': { request: REQUEST, answer: /^a{2000}\0.+\r\n$/s, end: 'open' },
  'answer-twice': { request: REQUEST, answer: ANSWER + ANSWER, end: 'open' },
  'answer-before-a-stray-one': {
    request: REQUEST,
    answer: /^a{2000}HTTP\/1\.1 200 OK\r\n.+\}$/s,
    end: 'open',
  },
  'answer-in-another-protocol': { request: REQUEST, answer: /^SSH-2\.0-.+\r\n$/, end: 'open' },
}

/** `end`, `open`, or the code of the error. */
const endOf = ({ error, ended }: Seen) => error ?? (ended ? 'end' : 'open')
const matches = (text: string, expected: string | RegExp) =>
  typeof expected === 'string' ? text === expected : expected.test(text)

const isAsExpected = (client: Seen, expected: Expectation | undefined) =>
  expected !== undefined && matches(client.text, expected.answer) && matches(endOf(client), expected.end)

const hasGot = (server: Seen | undefined, expected: Expectation | undefined) =>
  expected?.request === undefined || matches(server?.text ?? 'nothing', expected.request)

describe('a fault on the wire matches its name', () => {
  test.concurrent.for(faults)('$name', async (fault, { onTestFinished: atEnd }) => {
    const { client, server, expected } = await ask(fault, atEnd)
    if (expected === undefined) return expect.fail('nobody says what this fault does')
    if (expected.request === undefined) expect(server).toBeUndefined()
    else expect(server?.text).toSatisfy((text: string) => matches(text, expected.request ?? ''))
    expect(client.text).toSatisfy((text: string) => matches(text, expected.answer))
    expect(endOf(client)).toMatch(expected.end)
  })

  test('there are at least 24 of them, each with a name of its own', () => {
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length)
    expect(faults.length).toBeGreaterThanOrEqual(24)
    expect(Object.keys(expectations).sort()).toEqual(faults.map(({ name }) => name).sort())
  })
})

const named = (name: string) => faultNamed(name) ?? expect.fail(`there is no fault ${name}`)

describe('time', () => {
  test.concurrent.for([
    ['late-when-opened', 145, 145],
    ['request-late', 115, 115],
    ['answer-late', 115, 115],
    ['request-drips', 30, 30],
    ['answer-drips', 0, 90],
  ] as const)(
    '%s: the first byte takes at least %i ms, the last %i ms',
    async ([name, first, last], { onTestFinished: atEnd }) => {
      const { client } = await ask(named(name), atEnd)
      expect(client.firstByteMs).toBeGreaterThanOrEqual(first)
      expect(client.lastByteMs).toBeGreaterThanOrEqual(last)
    },
  )
})

describe('the other side', () => {
  test.concurrent.for([
    ['request-half-closed', 'end'],
    ['request-closed-in-head', 'end'],
    ['request-reset-in-head', 'ECONNRESET'],
    ['answer-reset-in-body', 'ECONNRESET'],
  ] as const)('of %s sees %s', async ([name, end], { onTestFinished: atEnd }) => {
    const { server } = await ask(named(name), atEnd)
    await vi.waitFor(() => expect(server && endOf(server)).toBe(end), { timeout: LONGEST_MS })
  })
})

describe('a proxy', () => {
  test('calls its chooser for each turn of a connection, counts its faults, and passes the rest', async () => {
    const server = await startTcpServer(onTestFinished)
    const turns: string[] = []
    const fault = named('answer-twice')
    const proxy = await startFaultProxy({ target: server.port })
    onTestFinished(() => proxy.close())
    proxy.choose({
      onTurn: (bytes) => {
        turns.push(bytes.toString())
        return turns.length === 2 ? fault : undefined
      },
    })
    const socket = connect(proxy.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const seen = follow(socket)
    for (const length of [ANSWER.length, ANSWER.length * 3, ANSWER.length * 4]) {
      socket.write(REQUEST)
      while (seen.text.length < length) await once(socket, 'data')
    }
    expect(seen.text).toBe(ANSWER.repeat(4))
    expect(turns).toEqual([REQUEST, REQUEST, REQUEST])
    expect([...proxy.done]).toEqual([['answer-twice', 1]])
    expect([proxy.open, proxy.accepted]).toEqual([1, 1])
  })

  test('stops listening, listens again on its port, and cuts open connections', async () => {
    const server = await startTcpServer(onTestFinished)
    const proxy = await startFaultProxy({ target: server.port })
    onTestFinished(() => proxy.close())
    const socket = connect(proxy.port, '127.0.0.1')
    await once(socket, 'connect')
    await proxy.refuse()
    const refused = connect(proxy.port, '127.0.0.1')
    expect(await once(refused, 'error')).toMatchObject([{ code: 'ECONNREFUSED' }])
    const cut = once(socket, 'error')
    proxy.cut()
    expect(await cut).toMatchObject([{ code: 'ECONNRESET' }])
    await proxy.listen()
    const again = connect(proxy.port, '127.0.0.1')
    const seen = follow(again)
    again.write(REQUEST)
    while (seen.text.length < ANSWER.length) await once(again, 'data')
    again.destroy()
    expect(seen.text).toBe(ANSWER)
  })
})
