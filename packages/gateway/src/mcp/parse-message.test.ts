import { expect, it } from 'vitest'
import { parseMessage } from './parse-message.ts'

const VALUES = 'The message has more than 10000 values'
const LEVELS = 'The message has more than 72 levels'
const BATCH = 'The batch has more than 100 messages'
const list = (count: number, item = '0') => `{"a":[${Array(count).fill(item).join(',')}]}`

it.each([
  ['nothing', '', undefined],
  ['a call', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[1,2]}}', undefined],
  ['9,999 elements', list(9_999), undefined],
  ['10,000 elements', list(10_000), VALUES],
  ['many empty objects', list(5_001, '{}'), VALUES],
  ['commas and brackets in texts', JSON.stringify({ a: ',[{'.repeat(20_000) }), undefined],
  ['quotes and backslashes in texts', JSON.stringify({ a: '\\",['.repeat(20_000) }), undefined],
  ['values after a long text', `{"a":"${'\\"'.repeat(20_000)}","b":${list(10_000)}}`, VALUES],
  ['72 levels', '['.repeat(72), undefined],
  ['73 levels', '['.repeat(73), LEVELS],
  ['100 messages', `[${Array(100).fill('{}').join(',')}]`, undefined],
  ['101 messages', `[${Array(101).fill('{}').join(',')}]`, BATCH],
  ['a list of 101 in a message', list(101), undefined],
])('judges %s', (_name, text, fault) => {
  expect(parseMessage(Buffer.from(text)).fault).toBe(fault)
})

it('gives the parsed message, and nothing for a text that is no JSON', () => {
  expect(parseMessage(Buffer.from('{"jsonrpc":"2.0"}'))).toEqual({ body: { jsonrpc: '2.0' } })
  expect(parseMessage(Buffer.from('{"jsonrpc"'))).toEqual({ body: undefined })
})
