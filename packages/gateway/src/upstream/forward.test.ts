import { expect, test } from 'vitest'
import { makeBody, makeContext, makeExchange, makeRoute } from '../../test/plugins/make-exchange.ts'
import { Semaphore } from '../limits/shares/semaphore.ts'
import { forward } from './forward.ts'
import { SoleTarget } from './targets/destination.ts'

/** A request whose body cannot be taken, and a target with these permits. */
function requestTo(permits: Semaphore) {
  let taken = 0
  const exchange = makeExchange({
    body: {
      ...makeBody('x'),
      isRead: true,
      content() {
        taken += 1
        throw new Error('no content')
      },
    },
  })
  const pool = { permits, connections: {} } as never
  const options = {
    destination: new SoleTarget({ pool, basePath: '', origin: 'http://127.0.0.1:9' }),
    signer: undefined,
    clientPath: (): [string] => ['127.0.0.1'],
    traceparent: '',
    log: makeContext().log,
  }
  return { exchange, send: () => forward(exchange, makeRoute(), options), taken: () => taken }
}

test('a request that fails before it is sent keeps no permit', async () => {
  const permits = new Semaphore({ permits: 1, queue: 0 })
  const { send } = requestTo(permits)
  for (const _ of [1, 2]) expect(await send()).toMatchObject({ refused: { code: 'UPSTREAM_UNAVAILABLE' } })
  expect(permits.taken).toBe(0)
})

test('the body is taken when the target has a place for the request, not before', async () => {
  const permits = new Semaphore({ permits: 1, queue: 1 })
  const { exchange, send, taken } = requestTo(permits)
  const release = permits.take('', exchange.signal)
  const waiting = send()
  expect(await send()).toMatchObject({ refused: { code: 'OVERLOADED' } })
  expect([exchange.limit, permits.waiting, taken()]).toEqual(['max_upstream_queue_per_origin', 1, 0])
  if (typeof release === 'function') release()
  expect(await waiting).toMatchObject({ refused: { code: 'UPSTREAM_UNAVAILABLE' } })
  expect(taken()).toBe(1)
})
