import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readUsage, type Usage } from './usage.ts'
import { usageTap } from './usage-tap.ts'

function read(type: string, parts: readonly (string | Buffer)[]): Usage | undefined {
  const tap = usageTap(type, undefined)
  for (const part of parts) tap?.chunk(Buffer.from(part))
  return tap?.end()
}

const stream = (...parts: readonly (string | Buffer)[]) => read('text/event-stream', parts)
const body = (...parts: readonly string[]) => read('application/json', parts)
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`

const CHAT = [
  data({
    model: 'gpt-4o',
    choices: [{ delta: { content: 'the "usage": {"prompt_tokens": 1}' } }],
    usage: null,
  }),
  data({ model: 'gpt-4o', choices: [{ delta: {}, finish_reason: 'stop' }], usage: null }),
  data({ model: 'gpt-4o', choices: [], usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 } }),
  'data: [DONE]\n\n',
]
const CHAT_USAGE = { input: 9, output: 4, model: 'gpt-4o' }

const MESSAGES = [
  { type: 'message_start', message: { model: 'claude', usage: { input_tokens: 25, output_tokens: 1 } } },
  { type: 'content_block_delta', delta: { text: 'usage' }, usage: { output_tokens: 999 } },
  { type: 'message_delta', delta: {}, usage: { output_tokens: 5 } },
  { type: 'message_delta', delta: {}, usage: { output_tokens: 15 } },
  { type: 'message_stop' },
].map((event) => `event: ${event.type}\n${data(event)}`)

test('a JSON body reports its usage', () => {
  const text = JSON.stringify({
    model: 'm',
    choices: [{ usage: 1 }],
    usage: { prompt_tokens: 1, completion_tokens: 2 },
  })
  expect(body(text)).toEqual({ input: 1, output: 2, model: 'm' })
  expect(body(...text)).toEqual({ input: 1, output: 2, model: 'm' })
  expect(read('application/vnd.x+json', [text])).toEqual({ input: 1, output: 2, model: 'm' })
})

test('a JSON body of another shape, without usage or cut off reports nothing', () => {
  expect(body('{"choices":[{"usage":{"prompt_tokens":1,"completion_tokens":2}}]}')).toBeUndefined()
  expect(body('{"usage":{"prompt_tokens":1,"completion_tokens":2},')).toBeUndefined()
  expect(body('{"usage":{"prompt_tokens":-1,"completion_tokens":2}}')).toBeUndefined()
  expect(body('{"usage":"many"}')).toBeUndefined()
  expect(body('')).toBeUndefined()
})

test('other types and encoded bytes have no tap', () => {
  expect(usageTap('text/plain', undefined)).toBeUndefined()
  expect(usageTap(undefined, undefined)).toBeUndefined()
  expect(usageTap('application/json', 'gzip')).toBeUndefined()
  expect(usageTap('application/json', 'identity')).toBeDefined()
})

test('a chat stream reports the usage of its last chunk that has one', () => {
  expect(stream(...CHAT)).toEqual(CHAT_USAGE)
  expect(stream(CHAT.join(''))).toEqual(CHAT_USAGE)
  const continuous = [1, 2, 3].map((tokens) =>
    data({ usage: { prompt_tokens: 5, completion_tokens: tokens } }),
  )
  expect(stream(...continuous)).toEqual({ input: 5, output: 3 })
  expect(stream(...continuous, data({ usage: { prompt_tokens: -5, completion_tokens: 4 } }))).toEqual({
    input: 5,
    output: 3,
  })
})

test.for(['response.completed', 'response.incomplete', 'response.failed'])('the event %s reports', (type) => {
  const response = { model: 'gpt-5', usage: { input_tokens: 3, output_tokens: 7, total_tokens: 10 } }
  const created = {
    type: 'response.created',
    response: { ...response, usage: { input_tokens: 1, output_tokens: 1 } },
  }
  expect(stream(data(created), data({ type, response }))).toEqual({ input: 3, output: 7, model: 'gpt-5' })
  expect(stream(data(created))).toBeUndefined()
})

test('messages report the input of their start and the output of the last delta', () => {
  expect(stream(...MESSAGES)).toEqual({ input: 25, output: 15, model: 'claude' })
  expect(stream(MESSAGES[0] ?? '', MESSAGES[1] ?? '')).toBeUndefined()
  expect(stream(...MESSAGES.slice(1))).toBeUndefined()
})

test('a delta with more input counts instead of the start', () => {
  const delta = { type: 'message_delta', usage: { input_tokens: 90, output_tokens: 8 } }
  expect(stream(MESSAGES[0] ?? '', data(delta))).toEqual({ input: 90, output: 8, model: 'claude' })
})

const ENDS = { 'line feed': '\n', 'carriage return': '\r', both: '\r\n' }

test.for(Object.entries(ENDS))('events with %s are read, cut at every byte', ([, end]) => {
  for (const [events, expected] of [
    [CHAT, CHAT_USAGE],
    [MESSAGES, { input: 25, output: 15, model: 'claude' }],
  ] as const) {
    const bytes = Buffer.from(`\u{feff}: comment\n\n${events.join('')}`.replaceAll('\n', end))
    expect(stream(...Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(expected)
    for (let cut = 0; cut <= bytes.length; cut += 1)
      expect(stream(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(expected)
  }
})

test('data of several lines is one document', () => {
  const event = 'id: 1\ndata:{"usage"\ndata: :{"prompt_tokens":1,\ndata: "completion_tokens":2}\ndata:}\n\n'
  expect(stream(event)).toEqual({ input: 1, output: 2 })
  expect(stream(...event)).toEqual({ input: 1, output: 2 })
  expect(stream('data: {"usage":{"prompt_tokens":1,"completion_tokens":1\ndata: 2}}\n\n')).toBeUndefined()
})

test('an event of megabytes is read without its text', () => {
  const text = '"usage":{\\"'.repeat(200_000)
  const usage = { input_tokens: 3, output_tokens: 7 }
  const event = Buffer.from(data({ type: 'response.completed', response: { output: [{ text }], usage } }))
  const parts = []
  for (let at = 0; at < event.length; at += 65_536) parts.push(event.subarray(at, at + 65_536))
  expect(stream(...parts)).toEqual({ input: 3, output: 7 })
})

test('a usage of megabytes reports nothing', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 2, details: 'x'.repeat(2_000_000) }
  expect(stream(data({ usage }))).toBeUndefined()
})

test('the word at another place reports nothing', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 2 }
  for (const event of [
    data({ choices: [{ delta: { content: JSON.stringify({ usage }) } }] }),
    data({ choices: [{ usage }] }),
    data({ delta: { usage } }),
    data({ response: { usage } }),
    data({ type: 'response.output_text.delta', usage, response: { usage } }),
    data([{ usage }]),
    `event: usage\n: {"usage":${JSON.stringify(usage)}}\nusage: ${JSON.stringify({ usage })}\n\n`,
    `xdata: ${JSON.stringify({ usage })}\n\n`,
    `data ${JSON.stringify({ usage })}\n\n`,
    `data: ${JSON.stringify({ usage })} x\n\n`,
    'data: usage\n\n',
    'data: "usage"\n\n',
  ])
    expect(stream(event)).toBeUndefined()
})

test('an unfinished last event counts if its document is complete', () => {
  const event = data({ usage: { prompt_tokens: 1, completion_tokens: 2 } })
  expect(stream(event.trimEnd())).toEqual({ input: 1, output: 2 })
  expect(stream(event.slice(0, -3))).toBeUndefined()
})

test('a stream without usage and an empty one report nothing', () => {
  expect(stream(CHAT[0] ?? '', CHAT[1] ?? '', 'data: [DONE]\n\n')).toBeUndefined()
  expect(stream()).toBeUndefined()
  expect(stream('', '\n', '\n\n')).toBeUndefined()
})

test('the same usage as of all events parsed one by one, with any line ends, cut anywhere', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('usage', '"usage":{', 'data: {}', 'ä'))
  const count = fc.oneof(fc.nat(99), fc.constantFrom(-1, 1.5, '7', null))
  const usage = fc.oneof(fc.constant(null), fc.record({ prompt_tokens: count, completion_tokens: count }))
  const chunk = fc.record(
    { model: text, choices: fc.array(fc.record({ content: text, usage })), usage },
    { requiredKeys: [] },
  )
  const event = fc.record({ chunk, comment: fc.boolean(), indent: fc.nat(1) })
  const end = fc.constantFrom('\n', '\r', '\r\n')
  const cuts = fc.array(fc.nat(), { maxLength: 6 })
  fc.assert(
    fc.property(fc.array(event), end, cuts, (events, lineEnd, places) => {
      const lines = events.flatMap(({ chunk: value, comment, indent }) => [
        ...(comment ? [': usage', 'id: 1'] : []),
        ...JSON.stringify(value, null, indent)
          .split('\n')
          .map((line) => `data: ${line}`),
        '',
      ])
      const bytes = Buffer.from(lines.map((line) => line + lineEnd).join(''))
      const sorted = places.map((place) => place % (bytes.length + 1)).sort((first, second) => first - second)
      const parts = [0, ...sorted].map((start, index) => bytes.subarray(start, sorted[index]))
      const reports = events.flatMap(({ chunk: value }) => readUsage(value.usage, value.model) ?? [])
      expect(stream(...parts)).toEqual(reports.at(-1))
    }),
  )
})

test('events are counted wherever the stream is cut, comments are not', () => {
  const text = [
    ': a\n\n',
    CHAT[0],
    'event: x\ndata: a\ndata: b\r\n\r\n',
    `data: ${'x'.repeat(1023 + 9)}\n\n`,
    'data: end',
  ].join('')
  const bytes = Buffer.from(text)
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const tap = usageTap('text/event-stream', undefined)
    tap?.chunk(bytes.subarray(0, cut))
    tap?.chunk(bytes.subarray(cut))
    expect(tap?.end()).toBeUndefined()
    expect(tap?.produced()).toEqual({ input: undefined, output: 5 + 3 })
  }
})

test('whole events are counted like cut ones', () => {
  const tap = usageTap('text/event-stream', undefined)
  for (const part of [': a\n\n', data({ a: 1 }).repeat(7), 'event: x\ndata: a\ndata: b\n\n'])
    tap?.chunk(Buffer.from(part))
  expect(tap?.end()).toBeUndefined()
  expect(tap?.produced()).toEqual({ input: undefined, output: 9 })
})

test('the input of message_start is kept for a stream that breaks off; nothing is known of a stream without events', () => {
  const tap = usageTap('text/event-stream', undefined)
  for (const part of MESSAGES.slice(0, 2)) tap?.chunk(Buffer.from(part))
  expect([tap?.end(), tap?.produced()]).toEqual([undefined, { input: 25, output: 2 }])
  const silent = usageTap('text/event-stream', undefined)
  silent?.chunk(Buffer.from(': wait\n\n'))
  expect([silent?.end(), silent?.produced()]).toEqual([undefined, undefined])
})
