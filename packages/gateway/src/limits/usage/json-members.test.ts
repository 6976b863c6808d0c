import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MemberReader, readMembers } from './json-members.ts'

const read = (text: string, wanted: readonly string[]) => readMembers(Buffer.from(text), wanted)

test('members of the object and of one object in it are found with text, value and place', async () => {
  const text = '{ "a" : [1,{"b":2}], "b": {"c":"x\\"}"} , "d":{"e":{"b":3},"f":null}}'
  const members = await read(text, ['a', 'b', 'd.e', 'd.f', 'd.g'])
  expect(members?.value('a')).toEqual([1, { b: 2 }])
  expect(members?.value('b')).toEqual({ c: 'x"}' })
  expect(members?.value('d.e')).toEqual({ b: 3 })
  expect(members?.value('d.f')).toBeNull()
  expect(members?.value('d.g')).toBeUndefined()
  const { start = 0, end = 0 } = members?.span('b') ?? {}
  expect(text.slice(start, end)).toBe(' {"c":"x\\"}"} ')
})

test('the same is found wherever the text is cut', async () => {
  const text = '{"x":"\\\\\\"usage\\":{","usage":{"n":"ä\\\\"},"deep":{"usage":[{"usage":1}]},"usage_":1}'
  const bytes = Buffer.from(text)
  const wanted = ['usage', 'deep.usage']
  for (let first = 0; first <= bytes.length; first += 1) {
    for (let second = first; second <= bytes.length; second += 1) {
      const reader = new MemberReader(wanted)
      for (const part of [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)])
        reader.chunk(part)
      expect(reader.isComplete).toBe(true)
      expect(reader.text('usage')).toBe('{"n":"ä\\\\"}')
      expect(reader.text('deep.usage')).toBe('[{"usage":1}]')
    }
  }
})

test('a name in a text, an array or a deeper object is not the member', async () => {
  for (const text of [
    '{"content":"\\"usage\\":{\\"n\\":1}"}',
    '{"content":"usage","n":1}',
    '[{"usage":1}]',
    '["usage",1]',
    '{"choices":[{"usage":1}]}',
    '{"a":{"usage":1}}',
    '{"a":{"b":{"usage":1}}}',
    '{"my usage":1,"usages":2,"usag":3}',
    '{"usage":"',
  ])
    expect((await read(text, ['usage']))?.text('usage')).toBeUndefined()
})

test('of equal names the last one counts', async () => {
  expect((await read('{"a":1,"a":2}', ['a']))?.value('a')).toBe(2)
})

test('a document that is no complete object has no members', async () => {
  for (const text of [
    '',
    ' ',
    '12',
    '"usage"',
    '{"usage":1',
    '{"usage":1}}',
    '{"usage":1}{}',
    '{"usage":1} x',
  ])
    expect(await read(text, ['usage'])).toBeUndefined()
  expect((await read('\u{feff}{"usage":1}\n', ['usage']))?.value('usage')).toBe(1)
})

test('a value above 16 KiB has a place and no text, also in parts', async () => {
  const bytes = Buffer.from(`{"a":"${'x'.repeat(20_000)}","b":1}`)
  const reader = new MemberReader(['a', 'b'])
  for (let at = 0; at < bytes.length; at += 1000) reader.chunk(bytes.subarray(at, at + 1000))
  expect(reader.text('a')).toBeUndefined()
  expect(reader.span('a')).toEqual({ start: 5, end: 20_007 })
  expect(reader.value('b')).toBe(1)
})

test('a value that is no JSON is undefined', async () => {
  expect((await read('{"a":{1},"b":1.,"c":}', ['a', 'b', 'c']))?.value('a')).toBeUndefined()
})

test('a reader can start again in the middle of a document', async () => {
  const reader = new MemberReader(['a'])
  reader.chunk(Buffer.from('{"a":1,"b":"\\'))
  reader.reset()
  reader.chunk(Buffer.from('{"c":2}'))
  expect(reader.isComplete).toBe(true)
  expect(reader.text('a')).toBeUndefined()
})

test('a document of several turns lets others have theirs', async () => {
  const reading = read(`{"a":"${'x'.repeat(300_000)}","b":1}`, ['b'])
  const order: string[] = []
  setImmediate(() => order.push('other'))
  order.push(`b is ${(await reading)?.value('b')}`)
  expect(order).toEqual(['other', 'b is 1'])
})

test('the same members as JSON.parse finds, in any document, cut anywhere', () => {
  const names = fc.oneof(fc.constantFrom('usage', 'a', 'type', '"', '\\', 'ä'), fc.string({ maxLength: 3 }))
  const leaf = fc.oneof(
    fc.string(),
    fc.constantFrom('"usage":{', '\\"', '{', ']'),
    fc.integer(),
    fc.double(),
    fc.constant(null),
  )
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(names, tie('tree'), { maxKeys: 5 }),
    ),
  }))
  const documents = fc.dictionary(names, tree, { maxKeys: 6 })
  const cuts = fc.array(fc.nat(), { maxLength: 8 })
  fc.assert(
    fc.property(documents, cuts, fc.nat(2), (document, places, blanks) => {
      const bytes = Buffer.from(JSON.stringify(document, null, blanks))
      const reader = new MemberReader(['usage', 'a.usage', 'a.type'])
      const sorted = places.map((place) => place % bytes.length).sort((first, second) => first - second)
      for (const [index, start] of [0, ...sorted].entries())
        reader.chunk(bytes.subarray(start, sorted[index]))
      const parsed = JSON.parse(bytes.toString())
      const inner = isPlain(parsed.a) ? parsed.a : {}
      expect(reader.isComplete).toBe(true)
      expect([reader.value('usage'), reader.value('a.usage'), reader.value('a.type')]).toEqual([
        parsed.usage,
        inner['usage'],
        inner['type'],
      ])
    }),
  )
})

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

test('texts are counted in bytes without the names of members, and plain values of lists, wherever the text is cut', () => {
  const text = '{"name":"ab\\"ä", "b":{"c":["d" , "ef"],"g":7},"h":[1,[2,3 ],null,[], {"i":4}, true],"k":""}'
  const bytes = Buffer.from(text)
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const reader = new MemberReader(['b'])
    reader.chunk(bytes.subarray(0, cut))
    reader.chunk(bytes.subarray(cut))
    expect([reader.textBytes, reader.listedValues]).toEqual([6 + 3, 5])
  }
})

test('a long name counts like a text, so that nothing is hidden in one', () => {
  const reader = new MemberReader(['b'])
  reader.chunk(Buffer.from(`{"${'a'.repeat(1160)}":{"${'c'.repeat(160)}":"text"}}`))
  expect(reader.textBytes).toBe(1000 + 4)
})
