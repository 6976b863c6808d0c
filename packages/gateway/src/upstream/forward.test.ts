import { expect, test } from 'vitest'
import { makeBody, makeContext, makeExchange, makeRoute } from '../../test/plugins/make-exchange.ts'
import { Semaphore } from '../limits/shares/semaphore.ts'
import { forward } from './forward.ts'

test('a request that fails before it is sent keeps no permit', async () => {
  const permits = new Semaphore({ permits: 1, queue: 0 })
  const exchange = makeExchange({
    body: {
      ...makeBody('x'),
      isRead: true,
      content() {
        throw new Error('no content')
      },
    },
  })
  const pool = { permits, connections: {} } as never
  const options = {
    pool,
    basePath: '',
    origin: 'http://127.0.0.1:9',
    signer: undefined,
    clientPath: (): [string] => ['127.0.0.1'],
    traceparent: '',
    log: makeContext().log,
  }
  for (const _ of [1, 2])
    expect(await forward(exchange, makeRoute(), options)).toMatchObject({
      refused: { code: 'UPSTREAM_UNAVAILABLE' },
    })
  expect(permits.taken).toBe(0)
})
