import { expect, test } from 'vitest'
import { type BodyReceiver, IncomingBody } from './incoming-body.ts'

function open() {
  const flow: string[] = []
  const body = new IncomingBody({ pause: () => flow.push('pause'), resume: () => flow.push('resume') })
  const seen: string[] = []
  const receiver: BodyReceiver = {
    onChunk: (bytes) => seen.push(String(bytes)),
    onEnd: () => seen.push('end'),
    onCut: () => seen.push('cut'),
  }
  return { body, flow, seen, receiver, push: (text: string) => body.push(Buffer.from(text)) }
}

test('what arrived before its reader is passed on at once, and then as it comes', () => {
  const { body, seen, receiver, push } = open()
  push('a')
  body.read(receiver)
  push('b')
  body.finish()
  expect(seen).toEqual(['a', 'b', 'end'])
  body.cut()
  expect(seen).toEqual(['a', 'b', 'end'])
})

test('a reader that pauses gets nothing until it resumes, the end included', () => {
  const { body, seen, receiver, push } = open()
  body.read(receiver)
  body.pause()
  expect(body.isHeld).toBe(true)
  push('a')
  body.finish()
  expect(seen).toEqual([])
  body.resume()
  expect(seen).toEqual(['a', 'end'])
})

test('64 kB without a reader hold the connection back', () => {
  const { body, flow, push } = open()
  push('x'.repeat(65_535))
  expect([flow, body.isHeld]).toEqual([[], false])
  push('x')
  expect([flow, body.isHeld]).toEqual([['pause'], true])
})

test('a body that is dropped keeps nothing and is read to its end', () => {
  const { body, flow, seen, receiver, push } = open()
  let isOver = false
  body.onOver = () => {
    isOver = true
  }
  push('x'.repeat(70_000))
  body.read(receiver)
  body.drop()
  push('more')
  expect([seen.length, body.isDropping, body.isHeld, flow.at(-1)]).toEqual([1, true, false, 'resume'])
  body.finish()
  expect([seen.length, isOver]).toEqual([1, true])
})

test('a body that is cut off tells its reader, now or later, and once', () => {
  const first = open()
  first.body.read(first.receiver)
  first.body.cut()
  first.body.cut()
  expect(first.seen).toEqual(['cut'])
  const second = open()
  second.body.cut()
  second.body.read(second.receiver)
  expect([second.seen, second.body.isCut]).toEqual([['cut'], true])
})
