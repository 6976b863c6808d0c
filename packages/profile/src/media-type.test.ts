import { growth, LINEAR } from '@agentic-rest/testing/cpu-ratio'
import { expect, it } from 'vitest'
import { isVendorType, mediaTypeEssence, parseMediaType } from './media-type.ts'

it.each([
  ['application/json', 'application/json', {}],
  ['Application/JSON', 'application/json', {}],
  ['  application/json\t; charset=UTF-8 ', 'application/json', { charset: 'UTF-8' }],
  [
    'application/vnd.agentic.Error+JSON;Charset="utf-8"',
    'application/vnd.agentic.error+json',
    { charset: 'utf-8' },
  ],
  ['text/plain; a="x;y=\\"z"; b=2', 'text/plain', { a: 'x;y="z', b: '2' }],
  ['text/plain; a=1; A=2', 'text/plain', { a: '1' }],
  ['text/plain;', 'text/plain', {}],
  ['text/plain; ; a=', 'text/plain', { a: '' }],
])('takes %j apart', (value, essence, parameters) => {
  const parsed = parseMediaType(value)
  expect(parsed?.essence).toBe(essence)
  expect(Object.fromEntries(parsed?.parameters ?? [])).toEqual(parameters)
})

it.each([
  undefined,
  '',
  'application',
  'application/',
  '/json',
  'application/json/x',
  'application json',
  'application/json, text/html',
  'application/json; charset',
  'application/json; a="open',
  'application/json; a=b c',
  '\u00a0application/json',
])('finds no media type in %j', (value) => {
  expect(parseMediaType(value)).toBeUndefined()
})

it('reads a long run of separators in linear time', async () => {
  const workOf = (size: number) => {
    const value = `text/plain${'; '.repeat(size)}"`
    return () => parseMediaType(value)
  }
  expect(await growth({ workOf, size: 50_000 })).toBeLessThan(LINEAR)
})

it('knows the vendor types by their prefix, whatever their case and parameters', () => {
  expect(isVendorType(mediaTypeEssence('APPLICATION/VND.AGENTIC.CONFLICT+JSON; v=1'))).toBe(true)
  expect(isVendorType(mediaTypeEssence('application/vnd.agentic.x'))).toBe(true)
  expect(isVendorType(mediaTypeEssence('application/vnd.agenticx+json'))).toBe(false)
  expect(isVendorType(undefined)).toBe(false)
})
