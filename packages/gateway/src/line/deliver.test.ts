import { expect, test } from 'vitest'
import { makeExchange, makeReply } from '../../test/plugins/make-exchange.ts'
import type { UpstreamBody } from '../upstream/dispatch.ts'
import { deliver } from './deliver.ts'

test('an answer whose head cannot be sent is not read any more', () => {
  let aborted = 0
  const abort = () => {
    aborted += 1
  }
  const body = { takeWhole: () => undefined, abort } as unknown as UpstreamBody
  const reply = {
    ...makeReply(),
    head() {
      throw new RangeError('no such status')
    },
  }
  const answer = { status: 999, rawHeaders: [], body }
  const checked = { answer, essence: undefined, isEventStream: false, bytes: undefined }
  expect(() => deliver(makeExchange({ reply }), checked, { ownsCors: false })).toThrow('no such status')
  expect(aborted).toBe(1)
})
