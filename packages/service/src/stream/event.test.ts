import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { EventFaultError, event, writeYielded } from './event.ts'

const textOf = async (value: unknown) => (await writeYielded(value, undefined)).text

describe('a yielded value', () => {
  it.each([
    [{ a: [1] }, 'data: {"a":[1]}\n\n'],
    [[1, 'x'], 'data: [1,"x"]\n\n'],
    [1.5, 'data: 1.5\n\n'],
    [false, 'data: false\n\n'],
    [null, 'data: null\n\n'],
    ['plain', 'data: plain\n\n'],
    ['', 'data: \n\n'],
    ['two\r\nlines\rand\nmore', 'data: two\ndata: lines\ndata: and\ndata: more\n\n'],
    [{ text: 'a\r\nb' }, 'data: {"text":"a\\r\\nb"}\n\n'],
    [{ text: '\ud800' }, 'data: {"text":"\\ud800"}\n\n'],
  ])('%j is one frame', async (value, text) => {
    expect(await textOf(value)).toBe(text)
  })

  it('has name, id and retry where they are given', async () => {
    expect(await textOf(event({ n: 1 }, { event: 'step', id: '1', retry: 0 }))).toBe(
      'event: step\nid: 1\nretry: 0\ndata: {"n":1}\n\n',
    )
  })

  it('has the fields that were checked, also when their object is changed later', async () => {
    const fields = { event: 'step' }
    const made = event(1, fields)
    fields.event = 'outcome\ndata: {}\n'
    expect(await textOf(made)).toBe('event: step\ndata: 1\n\n')
  })

  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  it.each([
    ['undefined', undefined, 'an event cannot be undefined'],
    ['a function', () => 1, 'an event cannot be function'],
    ['a symbol', Symbol('s'), 'an event cannot be symbol'],
    ['a bigint', 1n, 'an event cannot be written as JSON'],
    ['a circular object', circular, 'an event cannot be written as JSON'],
    ['a number without end', Number.NaN, 'an event cannot be a number that is not finite'],
    ['10 MB', 'x'.repeat(10_000_000), 'an event has 10000008 characters, and readers take 1000000 at most'],
  ])('%s is a fault', (_title, value, message) => {
    expect(() => writeYielded(value, undefined)).toThrow(new EventFaultError(message))
  })
})

describe('the schema of events', () => {
  const schema = z.object({ text: z.string().trim() })

  it('parses the data', async () => {
    expect(await writeYielded({ text: ' a ' }, schema)).toEqual({
      data: { text: 'a' },
      text: 'data: {"text":"a"}\n\n',
    })
  })

  it('refuses other data, by its place', () => {
    expect(() => writeYielded({ text: 1 }, schema)).toThrow(/^the event schema refuses an event at text: /)
    expect(() => writeYielded('text', schema)).toThrow(/^the event schema refuses an event: /)
  })

  it('may need time', async () => {
    const slow = z.string().refine(async (text) => text === 'a')
    // Zod runs such a check only asynchronously; Standard Schema allows both.
    const standard = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: async (value: unknown) =>
          (await slow.safeParseAsync(value)).success ? { value } : { issues: [{ message: 'no' }] },
      },
    }
    expect((await writeYielded('a', standard)).text).toBe('data: a\n\n')
    await expect(writeYielded('b', standard)).rejects.toThrow('the event schema refuses an event: no')
  })
})

it.each([
  [{ event: 'outcome' }, 'an event cannot have the name outcome: it is the name of a last frame'],
  [{ event: 'error' }, 'an event cannot have the name error: it is the name of a last frame'],
  [{ event: '' }, 'the name of an event is a text without line breaks'],
  [{ event: 'a\nb' }, 'the name of an event is a text without line breaks'],
  [{ id: 'a\0' }, 'the id of an event is a text without line breaks'],
  [{ retry: 1.5 }, 'the retry of an event is a whole number of milliseconds'],
  [{ retry: -1 }, 'the retry of an event is a whole number of milliseconds'],
])('the fields %j are refused', (fields, message) => {
  expect(() => event(1, fields)).toThrow(new TypeError(message))
})
