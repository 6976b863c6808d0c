import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { addRoutes, type RemarkedRoute, targetTexts, unifiedDiff } from './add-routes.ts'

const added: RemarkedRoute[] = [
  {
    route: {
      id: 'create-b',
      method: 'POST',
      path: '/b/{bId}',
      target: 'http://127.0.0.1:${PORT:-1}',
      executionTimeoutSeconds: 30,
      mode: 'sse',
      forwardAuthorization: false,
    },
    remark: 'Creates\n a "b": \u001b[1m#1',
  },
]
const lines = (indent: string) =>
  [
    '# Creates a "b": [1m#1',
    '- id: create-b',
    '  method: POST',
    '  path: /b/{bId}',
    '  target: http://127.0.0.1:${PORT:-1}',
    '  executionTimeoutSeconds: 30',
    '  mode: sse',
    '  forwardAuthorization: false',
  ].map((line) => `${indent}${line}`)

const a = '{ id: a, method: GET, path: /a, target: "http://127.0.0.1:1" }'

test.each([
  [
    'a list at the end of the file',
    `gateway: { port: 0 } # any\nroutes:\n  # the first\n  - ${a} # one\n`,
    [...lines('  ')],
    `  - ${a} # one\n`,
  ],
  ['a file without a last line break', `routes:\n  - ${a}`, lines('  '), `  - ${a}`],
  ['a list without an indent', `routes:\n- ${a}\n`, lines(''), `- ${a}\n`],
  [
    'a list before other keys and comments',
    `routes:\n    - id: a\n      path: /a\n      # roles: [x]\n\n      # more of a\n\n# The plugins.\nplugins: {}\n`,
    lines('    '),
    '      # more of a\n',
  ],
])('routes are added after the last one: %s', (_, text, expected, after) => {
  const place = text.indexOf(after) + after.length
  const before = text.slice(0, place).replace(/\n$/, '')
  const rest = text.slice(before.length)
  expect(addRoutes(text, added)).toBe(`${before}\n${expected.join('\n')}${rest}`)
})

test('an empty list becomes a block, and the comment beside it stays', () => {
  expect(addRoutes('routes: [] # none yet\nplugins: {}\n', added)).toBe(
    `routes: # none yet\n${lines('  ').join('\n')}\nplugins: {}\n`,
  )
})

test.each([`{ gateway: {}, routes: [] }`, `routes: [ ${a} ]`, `routes: [\n  ${a},\n]\n`])(
  'a list in brackets stays one: %s',
  (text) => {
    const { routes } = parse(addRoutes(text, added))
    expect(routes.at(-1)).toEqual(added[0]?.route)
    expect(routes).toHaveLength(parse(text).routes.length + 1)
  },
)

test('the line ends of the file are used', () => {
  const changed = addRoutes(`routes:\r\n  - ${a}\r\n`, added)
  expect(changed.split('\r\n').join('').includes('\n')).toBe(false)
  expect(parse(changed).routes).toHaveLength(2)
})

test('the texts of targets keep their variables', () => {
  expect(targetTexts(addRoutes(`routes:\n  - ${a}\n`, added))).toEqual([
    'http://127.0.0.1:1',
    'http://127.0.0.1:${PORT:-1}',
  ])
})

test('a difference is one hunk with three lines around it', () => {
  expect(unifiedDiff('f', '1\n2\n3\n4\n5\n6\n7\n8\n', '1\n2\n3\n4\nnew\n5\n6\n7\n8\n')).toBe(
    '--- f\n+++ f\n@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n',
  )
  expect(unifiedDiff('f', 'a\n[]\n', 'a\n- b\n- c\n')).toBe(
    '--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n-[]\n+- b\n+- c\n',
  )
  expect(unifiedDiff('f', 'a\na\n', 'a\na\na\n')).toBe('--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n a\n+a\n')
  expect(unifiedDiff('f', 'same\n', 'same\n')).toBe('')
})
