import { expect, it } from 'vitest'
import { messageShapeFault } from './message-shape.ts'

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
])('judges %s', async (_name, text, fault) => {
  expect(await messageShapeFault(Buffer.from(text))).toBe(fault)
})

it('reads an escape and a text across two parts', async () => {
  for (let before = 32_760; before < 32_776; before += 1) {
    const text = `${' '.repeat(before)}{"a":"x\\\\\\"[,","b":[]}`
    expect(await messageShapeFault(Buffer.from(text)), String(before)).toBe(undefined)
    const many = `${' '.repeat(before)}{"a":"\\\\","b":${list(10_000)}}`
    expect(await messageShapeFault(Buffer.from(many)), String(before)).toBe(VALUES)
  }
})
