import { eventually } from '@agentic-rest/testing/eventually'
import { startService, type TestService } from '@agentic-rest/testing/start-service'
import { untilStill } from '@agentic-rest/testing/until-still'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineOperation, type RunContext, type Running, success } from '../../src/index.ts'
import { ask, expectAnswer } from '../harness/ask.ts'
import { errorFrame, failedFrame, outcomeFrame, tell } from './story.ts'

/** Serves one generator. Its events have no schema unless one is given. */
async function start(
  run: (context: RunContext) => AsyncGenerator<unknown, ReturnType<typeof success>, void>,
  event?: z.ZodType,
): Promise<TestService> {
  const operation = defineOperation({
    id: 'talk',
    method: 'POST',
    path: '/talk',
    event: event ?? z.unknown(),
    run: run as (context: RunContext) => Running,
  })
  return startService({ operations: [operation] })
}

/** Waits for the record of the only request. */
async function recordOf({ audit, service }: TestService) {
  await eventually(
    () => audit.length,
    (count) => count > 0,
  )
  await eventually(
    () => service.metrics(),
    (text) => text.includes('agentic_service_streams_active 0\n'),
  )
  return audit
}

const failure = { type: 'error', code: 'INTERNAL_ERROR', message: 'The operation failed.' }

describe('a run that throws', () => {
  it('before its first event ends with the error frame alone', async () => {
    // biome-ignore lint/correctness/useYield: the fault comes before the first event.
    const started = await start(async function* () {
      throw new Error('no model')
    })
    expect(await (await tell(`${started.url}/talk`)).ended).toEqual({ complete: true, text: failedFrame })
    expect(await recordOf(started)).toMatchObject([
      { outcome: 'error', attributes: { events: '0', end: 'error', status: '500' } },
    ])
    expect(started.log).toMatchObject([
      { level: 'error', message: 'an operation failed', fields: { cause: new Error('no model') } },
    ])
  })

  it('after its first event ends with the error frame behind it', async () => {
    const started = await start(async function* () {
      yield 'one'
      throw new Error('the source was cut at db-7.internal')
    })
    expect((await (await tell(`${started.url}/talk`)).ended).text).toBe(`data: one\n\n${failedFrame}`)
    expect(await recordOf(started)).toMatchObject([{ attributes: { events: '1', end: 'error' } }])
  })

  it('in finally ends with the error frame', async () => {
    const started = await start(async function* () {
      try {
        yield 'one'
        return success({})
      } finally {
        // biome-ignore lint/correctness/noUnsafeFinally: this is the fault under test.
        throw new Error('not closed')
      }
    })
    expect((await (await tell(`${started.url}/talk`)).ended).text).toBe(`data: one\n\n${failedFrame}`)
  })

  it('is an ordinary error for a caller without a stream', async () => {
    const { url } = await start(async function* () {
      yield 'one'
      throw new Error('thrown')
    })
    expectAnswer(await ask(`${url}/talk`, { method: 'POST' }), 500, failure)
  })
})

describe('an event that cannot be sent', () => {
  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  it.each([
    ['undefined', undefined, 'an event cannot be undefined'],
    ['a function', () => 1, 'an event cannot be function'],
    ['10 MB', 'x'.repeat(10_000_000), 'readers take 1000000 at most'],
    ['a circular object', circular, 'an event cannot be written as JSON'],
  ])('ends the stream and runs finally: %s', async (_title, value, message) => {
    let isClosed = false
    const started = await start(async function* () {
      try {
        yield 'one'
        yield value
        return success({})
      } finally {
        isClosed = true
      }
    })
    expect((await (await tell(`${started.url}/talk`)).ended).text).toBe(`data: one\n\n${failedFrame}`)
    expect(isClosed).toBe(true)
    expect(await recordOf(started)).toMatchObject([{ attributes: { events: '1', end: 'error' } }])
    expect(started.log).toMatchObject([
      { level: 'error', fields: { cause: { message: expect.stringContaining(message) } } },
    ])
    // The fault is the same for a caller that does not see the events.
    expectAnswer(await ask(`${started.url}/talk`, { method: 'POST' }), 500, failure)
  })

  it('is one that the schema refuses', async () => {
    const started = await start(
      async function* () {
        yield { text: 'a' }
        yield { text: 1 }
        return success({})
      },
      z.object({ text: z.string() }),
    )
    expect((await (await tell(`${started.url}/talk`)).ended).text).toBe(
      `data: {"text":"a"}\n\n${failedFrame}`,
    )
    expect(started.log).toMatchObject([
      { fields: { cause: { message: expect.stringContaining('refuses an event at text') } } },
    ])
  })
})

it('line ends of a text become lines of data, and a lone surrogate becomes a character', async () => {
  const { url } = await start(async function* () {
    yield 'a\r\nb\rc'
    yield 'x\ud800y'
    yield { text: '\ud800\r\n' }
    return success({})
  })
  expect((await (await tell(`${url}/talk`)).ended).text).toBe(
    `data: a\ndata: b\ndata: c\n\ndata: x\ufffdy\n\ndata: {"text":"\\ud800\\r\\n"}\n\n${outcomeFrame('success', 200, {})}`,
  )
})

it('an outcome that cannot be written ends with the error frame', async () => {
  const started = await start(async function* () {
    yield 1
    return success({ big: 1n })
  })
  expect((await (await tell(`${started.url}/talk`)).ended).text).toBe(`data: 1\n\n${failedFrame}`)
})

describe('a client that leaves', () => {
  it('between two events aborts the signal, and finally runs', async () => {
    const closed = Promise.withResolvers<boolean>()
    const started = await start(async function* ({ signal }) {
      try {
        yield 'one'
        await new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        )
        return success({})
      } finally {
        closed.resolve(signal.aborted)
      }
    })
    const stream = await tell(`${started.url}/talk`)
    await stream.until('one')
    stream.leave()
    expect(await closed.promise).toBe(true)
    expect(await recordOf(started)).toMatchObject([{ attributes: { events: '1', end: 'client_disconnect' } }])
    expect(started.log).toMatchObject([{ level: 'info', message: 'the caller left before the answer' }])
  })

  it('ends a run that only yields', async () => {
    const closed = Promise.withResolvers<void>()
    const started = await start(async function* () {
      try {
        for (let n = 0; ; n += 1) yield n
      } finally {
        closed.resolve()
      }
    })
    const stream = await tell(`${started.url}/talk`)
    await stream.until('data: 100\n')
    stream.leave()
    await closed.promise
    expect(await recordOf(started)).toMatchObject([{ attributes: { end: 'client_disconnect' } }])
  })

  it('ends a run that only yields, without a stream too', async () => {
    const closed = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const { url } = await start(async function* () {
      try {
        for (let n = 0; ; n += 1) {
          begun.resolve()
          yield n
        }
      } finally {
        closed.resolve()
      }
    })
    const leave = new AbortController()
    const answer = ask(`${url}/talk`, { method: 'POST', signal: leave.signal }).catch(() => 'left')
    await begun.promise
    leave.abort()
    expect(await answer).toBe('left')
    await closed.promise
  })

  it('gets nothing of a fault in finally, which is logged', async () => {
    const started = await start(async function* () {
      try {
        for (let n = 0; ; n += 1) yield n
      } finally {
        // biome-ignore lint/correctness/noUnsafeFinally: this is the fault under test.
        throw new Error('not closed')
      }
    })
    const stream = await tell(`${started.url}/talk`)
    await stream.until('data: 10\n')
    stream.leave()
    await recordOf(started)
    expect(started.log).toContainEqual({
      level: 'error',
      message: 'a stream failed while it was ended',
      fields: expect.objectContaining({ cause: new Error('not closed') }),
    })
  })

  it('of fetch alone ends the run by its signal or by the stream', async () => {
    const ends: boolean[] = []
    const { service } = await start(async function* ({ signal }) {
      try {
        for (let n = 0; ; n += 1) yield n
      } finally {
        ends.push(signal.aborted)
      }
    })
    const open = async (signal?: AbortSignal) => {
      const request = new Request('http://service.example/talk', {
        method: 'POST',
        headers: { accept: 'text/event-stream', 'x-tenant-id': 'acme' },
        ...(signal && { signal }),
      })
      const { body } = await service.fetch(request)
      const reader = body?.getReader()
      await reader?.read()
      return reader
    }
    await (await open())?.cancel()
    const abort = new AbortController()
    const reader = await open(abort.signal)
    abort.abort()
    expect((await reader?.read())?.done).toBe(true)
    expect(
      await eventually(
        () => ends,
        ({ length }) => length === 2,
      ),
    ).toEqual([true, true])
  })
})

it('a reader that stalls stops the run, and goes on where it was', async () => {
  let yielded = 0
  const { url, service } = await start(async function* () {
    while (yielded < 4000) {
      yielded += 1
      yield 'x'.repeat(10_000)
    }
    return success({})
  })
  const stream = await tell(`${url}/talk`)
  stream.response.pause()
  const stalledAt = await untilStill(() => yielded)
  // The rest is in the buffers of the sockets.
  expect(stalledAt).toBeLessThan(2000)
  expect(await service.metrics()).toContain('agentic_service_streams_active 1\n')
  stream.response.resume()
  const { complete, text } = await stream.ended
  expect([complete, text.split('\n\n').length]).toEqual([true, 4002])
})

describe('closing the service', () => {
  it('waits for a stream', async () => {
    const goOn = Promise.withResolvers<void>()
    const { url, service } = await start(async function* () {
      yield 'one'
      await goOn.promise
      return success({ done: true })
    })
    const stream = await tell(`${url}/talk`)
    await stream.until('one')
    const closed = service.close()
    goOn.resolve()
    await closed
    expect((await stream.ended).text).toBe(`data: one\n\n${outcomeFrame('success', 200, { done: true })}`)
  })

  it('ends a stream with SHUTTING_DOWN when its time is over', async () => {
    const aborted = Promise.withResolvers<void>()
    const operation = defineOperation({
      id: 'talk',
      method: 'POST',
      path: '/talk',
      async *run({ signal }) {
        yield 'one'
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        aborted.resolve()
        return success({})
      },
    })
    const started = await startService({ operations: [operation], closeSeconds: 0.05 })
    const stream = await tell(`${started.url}/talk`)
    await stream.until('one')
    await started.service.close()
    expect(await stream.ended).toEqual({
      complete: true,
      text: `data: one\n\n${errorFrame('SHUTTING_DOWN', 'The service is shutting down.')}`,
    })
    await aborted.promise
    expect(await recordOf(started)).toMatchObject([
      { attributes: { events: '1', end: 'error', status: '503' } },
    ])
  })
})
