import { headerValue } from '@agentic-rest/profile'
import { expect, test } from 'vitest'
import { indexHeaders } from './http.ts'

test('indexed headers have the values of the record, in any case and joined when repeated', () => {
  const record = { 'X-One': '1', 'x-two': ['a', 'b'], 'X-TWO': 'c', absent: undefined }
  const indexed = indexHeaders(record)
  for (const name of ['x-one', 'X-Two', 'absent', 'other', 'constructor']) {
    expect(headerValue(indexed, name)).toBe(headerValue(record, name))
  }
  expect(headerValue(indexed, 'x-two')).toBe('a, b, c')
})

test('an object that can be asked for headers stays as it is', () => {
  const source = new Headers({ a: '1' })
  expect(indexHeaders(source)).toBe(source)
})
