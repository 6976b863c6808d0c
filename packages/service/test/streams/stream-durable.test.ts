import { eventually } from '@agentic-rest/testing/eventually'
import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startService } from '@agentic-rest/testing/start-service'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { conflict, defineOperation, event, success } from '../../src/index.ts'
import { ask, expectAnswer } from '../harness/ask.ts'
import { outcomeFrame, tell } from './story.ts'

const store = sharedStore()

/** A service whose run counts itself and waits for the test between its two events. */
async function startWriter() {
  const goOn = Promise.withResolvers<void>()
  let runs = 0
  const write = defineOperation({
    id: 'write',
    method: 'POST',
    path: '/texts',
    input: z.object({ title: z.string() }),
    idempotent: true,
    async: true,
    async *run({ input, signal }) {
      runs += 1
      yield { step: 1 }
      if (input.title === 'refused') return conflict({ code: 'TAKEN', message: 'It is taken.' })
      const aborted = new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      )
      await Promise.race([goOn.promise, aborted])
      yield event({ step: 2 }, { event: 'step' })
      return success({ title: input.title, runs })
    },
  })
  const runtime = { operations: { pollMilliseconds: 20 } }
  const started = await startService({ operations: [write], store, runtime })
  const keyed = (title: string) => tell(`${started.url}/texts`, { title }, { 'idempotency-key': 'k-1' })
  return { ...started, keyed, goOn: goOn.resolve, runs: () => runs }
}

const key = { 'idempotency-key': 'k-1' }

describe('a stream with an idempotency key', () => {
  it('keeps its outcome, which a retry gets as one frame or as JSON', async () => {
    const { url, keyed, goOn, runs } = await startWriter()
    goOn()
    const first = await (await keyed('a')).ended
    const last = outcomeFrame('success', 200, { title: 'a', runs: 1 })
    expect(first.text).toBe(`data: {"step":1}\n\nevent: step\ndata: {"step":2}\n\n${last}`)
    const again = await keyed('a')
    expect((await again.ended).text).toBe(last)
    expect(again.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'idempotency-replayed': 'true',
    })
    const plain = await ask(`${url}/texts`, { json: { title: 'a' }, headers: key })
    expectAnswer(plain, 200, { title: 'a', runs: 1 })
    expect(plain.headers.get('idempotency-replayed')).toBe('true')
    expect(runs()).toBe(1)
  })

  it('is a conflict while the first one streams, as an ordinary answer', async () => {
    const { url, keyed, goOn } = await startWriter()
    const first = await keyed('a')
    await first.until('"step":1')
    const headers = { ...key, accept: 'text/event-stream' }
    expectAnswer(await ask(`${url}/texts`, { json: { title: 'a' }, headers }), 409, {
      type: 'conflict',
      code: 'IDEMPOTENCY_IN_PROGRESS',
      message: 'A request with this key is still running.',
    })
    goOn()
    expect((await first.ended).complete).toBe(true)
  })

  it('is cancelled when its reader leaves, and its key is free', async () => {
    const { keyed, goOn, runs, audit } = await startWriter()
    const first = await keyed('a')
    await first.until('"step":1')
    first.leave()
    await eventually(
      () => audit.length,
      (count) => count > 0,
    )
    goOn()
    expect((await (await keyed('a')).ended).text).toContain('"runs":2')
    expect(runs()).toBe(2)
  })

  it('keeps no refusal', async () => {
    const { keyed, runs } = await startWriter()
    await (await keyed('refused')).ended
    const { text } = await (await keyed('refused')).ended
    expect(text).toContain('"type":"conflict","status":409')
    expect(runs()).toBe(2)
  })
})

describe('a stream in the background', () => {
  it('is a 202 whatever Accept says, and its events are its progress', async () => {
    const { url, goOn } = await startWriter()
    const headers = { prefer: 'respond-async', accept: 'text/event-stream' }
    const accepted = await ask(`${url}/texts`, { json: { title: 'b' }, headers })
    const { statusUrl } = JSON.parse(accepted.text)
    expect(accepted.status).toBe(202)
    const status = async () => JSON.parse((await ask(`${url}${statusUrl}`)).text)
    const working = await eventually(status, ({ progress }) => progress !== undefined)
    expect(working).toMatchObject({ status: 'working', progress: { step: 1 } })
    goOn()
    const done = await eventually(status, ({ status: state }) => state === 'completed')
    expect(done).toMatchObject({ progress: { step: 2 }, result: { title: 'b', runs: 1 } })
  })
})
