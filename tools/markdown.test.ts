import { expect, test } from 'vitest'
import { fencedBlocks, withoutCode } from './markdown.ts'

test('fenced blocks come with their info string, text and line', () => {
  const page = 'a\n```sh\nnpm test\n```\n\n~~~text output\n```\n~~~\n'
  expect(fencedBlocks(page)).toEqual([
    { info: 'sh', text: 'npm test', line: 2 },
    { info: 'text output', text: '```', line: 6 },
  ])
})

test('a longer fence holds a shorter one', () => {
  expect(fencedBlocks('````md\n```sh\nx\n```\n````')).toEqual([
    { info: 'md', text: '```sh\nx\n```', line: 1 },
  ])
})

test('blanking code keeps lines and prose in place', () => {
  expect(withoutCode('a `b` c\n```\nd\n```\n<!-- e\nf --> g')).toBe('a     c\n\n\n\n      \n      g')
})
