import { cpuRatio } from '@agentic-rest/testing/cpu-ratio'
import { expect, it } from 'vitest'
import { parseMessage } from './parse-message.ts'

const VALUES = 'The message has more than 10000 values'
const LARGE = 'The message has more than 1500 values and more than 32768 bytes'
const LEVELS = 'The message has more than 72 levels'
const BATCH = 'The batch has more than 100 messages'
const list = (count: number, item = '0') => `{"a":[${Array(count).fill(item).join(',')}]}`
/** 40,000 bytes and some elements. */
const largeList = (count: number) => `{"a":"${'\\"'.repeat(20_000)}","b":${list(count)}}`

it.each([
  ['nothing', '', undefined],
  ['a call', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[1,2]}}', undefined],
  ['9,999 elements', list(9_999), undefined],
  ['10,000 elements', list(10_000), VALUES],
  ['many empty objects', list(5_001, '{}'), VALUES],
  ['commas and brackets in texts', JSON.stringify({ a: ',[{'.repeat(20_000) }), undefined],
  ['quotes and backslashes in texts', JSON.stringify({ a: '\\",['.repeat(20_000) }), undefined],
  ['1,490 elements beside a long text', largeList(1_490), undefined],
  ['1,510 elements beside a long text', largeList(1_510), LARGE],
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

/** Members with an escape in their name, which is the slowest way to fill a message. */
function escapedNames(count: number, bytes: number): Buffer {
  const padding = 'x'.repeat(Math.floor(bytes / count) - 12)
  const members = Array.from({ length: count }, (_, index) => `"\\n${1000 + index}${padding}":0`)
  return Buffer.from(`{${members.join(',')}}`)
}

const escapedName = (_: unknown, index: number) => `"${'\\n'.repeat(80)}${1000 + index}":0`

it.each([
  ['as many values as it may have', escapedNames(1_490, 262_144)],
  ['more values than that', escapedNames(9_900, 262_144)],
  ['names full of escapes', Buffer.from(`{${Array.from({ length: 1_490 }, escapedName).join(',')}}`)],
  ['a long text with escapes', Buffer.from(`{"\\n":"${'\\n'.repeat(130_000)}"}`)],
])('a message of 256 KiB with %s takes little longer than one of 32 KiB', async (_name, large) => {
  const small = escapedNames(2_700, 32_768)
  expect([small.length, large.length].map((length) => length > 32_768)).toEqual([false, true])
  expect(parseMessage(small).fault).toBe(undefined)
  const work = () => parseMessage(large)
  // A message of eight times the size; without the smaller limit it takes more than four times as long, and with a reader
  // that decodes escapes one by one too.
  expect(await cpuRatio({ work, reference: () => parseMessage(small), below: 2.5 })).toBeLessThan(2.5)
})
