import { expect, test } from 'vitest'
import { withTrace } from './replay.ts'

const trace = { correlationId: 'corr-2', requestId: 'req-2' }
const own = '{"correlationId":"corr-2","requestId":"req-2"}'
const old = '{"requestId":"req-1","correlationId":"corr-1"}'

test.each([
  [
    'a trace',
    `{"id":9007199254740993, "trace" : ${old} ,"b":"ä"}`,
    `{"id":9007199254740993, "trace" :${own},"b":"ä"}`,
  ],
  ['no trace', '{"id":1}', '{"id":1}'],
  ['a trace of the service itself', '{"trace":{"steps":3}}', '{"trace":{"steps":3}}'],
  [
    'a trace with more',
    `{"trace":{"requestId":"a","correlationId":"b","c":1}}`,
    `{"trace":{"requestId":"a","correlationId":"b","c":1}}`,
  ],
  ['a trace further in', `{"inner":{"trace":${old}}}`, `{"inner":{"trace":${old}}}`],
  ['a list', `[{"trace":${old}}]`, `[{"trace":${old}}]`],
  ['no JSON', `{"trace":${old}`, `{"trace":${old}`],
  ['nothing', '', ''],
])('a body with %s', (_name, stored, replayed) => {
  expect(withTrace(Buffer.from(stored), trace).toString()).toBe(replayed)
})
