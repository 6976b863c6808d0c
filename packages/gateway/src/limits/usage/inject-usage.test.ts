import { expect, test } from 'vitest'
import { withUsageAsked } from './inject-usage.ts'

const injected = async (body: string) => (await withUsageAsked(Buffer.from(body)))?.toString()

test('a streamed chat asks for usage, and every other byte stays', async () => {
  expect(
    await injected(
      '{ "stream" : true,\r\n "messages":[{"content":"ä \\u00e4"}], "seed":12345678901234567890 }\n',
    ),
  ).toBe(
    '{ "stream" : true,\r\n "messages":[{"content":"ä \\u00e4"}], "seed":12345678901234567890 ,"stream_options":{"include_usage":true}}\n',
  )
  expect(await injected('{"messages":[],"input":null,"stream":true}')).toBe(
    '{"messages":[],"input":null,"stream":true,"stream_options":{"include_usage":true}}',
  )
  expect(await injected('{"prompt":"x","stream":true}')).toBe(
    '{"prompt":"x","stream":true,"stream_options":{"include_usage":true}}',
  )
})

test.for([
  ['null', '{"include_usage":true}'],
  ['{}', '{"include_usage":true}'],
  ['{ }', '{ "include_usage":true}'],
  ['{"a":{"include_usage":true}}', '{"a":{"include_usage":true},"include_usage":true}'],
  ['{"include_usage":false,"a":1}', '{"include_usage":true,"a":1}'],
  ['{"include_usage": null }', '{"include_usage":true}'],
])('options %s become %s', async ([options, expected]) => {
  const body = (value: string | undefined) => `{"stream":true,"messages":[],"stream_options":${value},"n":1}`
  expect(await injected(body(options))).toBe(body(expected))
})

test('long options are changed too', async () => {
  const long = `{"a":"${'}'.repeat(20_000)}"`
  expect(await injected(`{"stream":true,"messages":[],"stream_options":${long}}}`)).toBe(
    `{"stream":true,"messages":[],"stream_options":${long},"include_usage":true}}`,
  )
})

test.for([
  '{"stream":true,"messages":[],"stream_options":{"include_usage":true}}',
  '{"stream":true,"messages":[],"stream_options":5}',
  '{"stream":true,"messages":[],"stream_options":[]}',
  '{"stream":false,"messages":[]}',
  '{"stream":"true","messages":[]}',
  '{"messages":[{"stream":true}]}',
  '{"stream":true,"input":"x"}',
  '{"stream":true,"input":"x","prompt": {"id":"p"}}',
  '{"stream":true,"messages":[]',
  '[{"stream":true,"messages":[]}]',
  '',
  'stream=true&messages=',
])('%s is unchanged', async (body) => {
  expect(await injected(body)).toBeUndefined()
})
