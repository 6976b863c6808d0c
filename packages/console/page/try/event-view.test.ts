import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createStore } from '../shell/store.ts'
import { createEventView } from './event-view.ts'
import type { Step, StepAnswer } from './wire-log.ts'

const request = { method: 'POST', url: 'http://gateway.test/stories', headers: [], body: undefined }
const answer: StepAnswer = {
  status: 200,
  headers: [],
  body: undefined,
  isStream: true,
  tookMs: 5,
  outcome: 'streamed',
  violations: [],
}
const streamed: Step = { request, kind: 'main', answer }
const poll: Step = { request, kind: 'follow', answer: undefined }

function start() {
  const store = createStore<readonly Step[]>([streamed])
  let draws = 0
  store.subscribe(() => {
    draws += 1
  })
  const send = (...steps: Step[]) => store.set([...store.get(), ...steps])
  return { ...createEventView(store), send, steps: store.get, draws: () => draws }
}

const event = (data: string) => ({ event: 'message', data, id: '' })

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
})

test('many events at once are drawn once, and counted all', () => {
  const view = start()
  for (let count = 0; count < 5000; count++) view.take(event(`${count}`))
  expect(view.draws()).toBe(0)
  vi.runAllTimers()
  expect(view.draws()).toBe(1)
  expect(view.steps()[0]?.events).toMatchObject({ count: 5000, isCut: false })
  expect(vi.getTimerCount()).toBe(0)
})

test('the last frame is the answer of its step, with all events before it', () => {
  const view = start()
  view.take(event('a'))
  view.end('conflict', { type: 'conflict', code: 'TAKEN', message: 'It is taken.' })
  expect(view.steps()).toEqual([
    {
      ...streamed,
      answer: {
        ...answer,
        status: 409,
        outcome: 'conflict',
        body: { code: 'TAKEN', message: 'It is taken.' },
      },
      events: { count: 1, text: 'a\n', isCut: false },
    },
  ])
  expect(vi.getTimerCount()).toBe(0)
})

test('each request has the events of its own stream', () => {
  const view = start()
  view.take(event('a'))
  view.end('approval_required', { message: 'May it?' })
  view.send(poll, streamed)
  view.take(event('b'))
  view.draw()
  expect(view.steps().map(({ answer, events }) => [answer?.outcome, events?.text])).toEqual([
    ['approval_required', 'a\n'],
    [undefined, undefined],
    ['streamed', 'b\n'],
  ])
})

test('an ordinary answer stays as it is', () => {
  const view = start()
  const plain: Step = { ...streamed, answer: { ...answer, isStream: false, body: { a: 1 } } }
  view.send(plain)
  view.end('success', { type: 'success', body: { other: 1 } })
  expect(view.steps()[1]).toEqual(plain)
})
