import { expect, it, test } from 'vitest'
import { HeadBuffer } from '../head-buffer.ts'
import { answerHead, bareAnswer, tellsLength } from './write-head.ts'

const date = 'Mon, 16 Nov 2026 12:00:00 GMT'
const plain = { hasBody: true, isOld: false, closes: false, date, heads: new HeadBuffer() }
const kept = `Date: ${date}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=65\r\n`

test('a head keeps its headers and adds date, connection and framing', () => {
  expect(answerHead(200, ['X-A', 'a\xe9', 'x-a', 'b', 'content-LENGTH', '2'], plain)).toEqual({
    text: `HTTP/1.1 200 OK\r\nX-A: a\xe9\r\nx-a: b\r\ncontent-LENGTH: 2\r\n${kept}\r\n`,
    framing: 'length',
  })
  expect(answerHead(299, [], plain)).toEqual({
    text: `HTTP/1.1 299 unknown\r\n${kept}Transfer-Encoding: chunked\r\n\r\n`,
    framing: 'chunked',
  })
})

test('a date of the upstream stays, and a connection that ends says so', () => {
  expect(answerHead(404, ['date', 'x'], { ...plain, closes: true, hasBody: false })).toEqual({
    text: 'HTTP/1.1 404 Not Found\r\ndate: x\r\nConnection: close\r\n\r\n',
    framing: 'none',
  })
})

test('HTTP/1.0 has no chunks', () => {
  expect(answerHead(200, [], { ...plain, isOld: true, closes: true }).framing).toBe('until-close')
  expect(tellsLength(['X', 'Content-Length', 'Content-Length', '1'])).toBe(true)
  expect(tellsLength(['X', 'Content-Length'])).toBe(false)
})

it.each([
  ['X', 'a\r\nSet-Cookie: b'],
  ['X', 'a\nb'],
  ['X', 'a\0'],
  ['X', '\u0100'],
  ['X\r\nY', 'a'],
  ['X Y', 'a'],
  ['X:', 'a'],
  ['', 'a'],
])('the header %j: %j is never sent', (name, value) => {
  expect(() => answerHead(200, [name, value], plain)).toThrow(TypeError)
})

test('a bare answer has nothing but the end of its connection', () => {
  expect(bareAnswer(431)).toBe(
    'HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
  )
})
