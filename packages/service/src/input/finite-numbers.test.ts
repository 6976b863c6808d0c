import { expect, it } from 'vitest'
import { notFiniteAt } from './finite-numbers.ts'

it.each<[string, readonly string[] | undefined]>([
  ['{"a":1e999}', ['a']],
  ['{"a":-1e999}', ['a']],
  [`{"a":${'9'.repeat(400)}}`, ['a']],
  ['{"a":{"b":[0,{"c":1E+400}]}}', ['a', 'b', '1', 'c']],
  ['{"__proto__":1e999}', ['__proto__']],
  ['1e999', []],
  ['{"a":1e308,"b":-1e308,"c":1e-999,"d":"1e999","e":null,"f":[true]}', undefined],
  ['null', undefined],
])('%s', (text, path) => {
  expect(notFiniteAt(JSON.parse(text))).toEqual(path)
})
