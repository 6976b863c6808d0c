import { expect, test } from 'vitest'
import { systemEnvironment } from '../environment.ts'
import { MAX_OPEN_QUESTIONS, OpenRequests } from './open-requests.ts'

test('with ten thousand open questions the next one is not asked, until one of them is answered', async () => {
  // Nothing is late here: only answers and departures end a question.
  const environment = { ...systemEnvironment, wait: () => new Promise<void>(() => undefined) }
  const open = new OpenRequests({ instance: 'w1', environment })
  const left = new AbortController()
  const ids: string[] = []
  const ask = () => open.ask('session', left.signal, (id) => ids.push(id))
  const first = Array.from({ length: MAX_OPEN_QUESTIONS }, ask)
  expect(open.questionCount).toBe(10_000)
  expect(await ask()).toBeUndefined()
  expect(ids).toHaveLength(10_000)
  open.deliver({ type: 'response', id: ids[0] ?? '', session: 'session', result: { action: 'decline' } })
  expect(await first[0]).toEqual({ action: 'decline' })
  expect(open.questionCount).toBe(9999)
  void ask()
  expect(ids).toHaveLength(10_001)
})
