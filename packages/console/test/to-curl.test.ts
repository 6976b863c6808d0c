import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { quote, toCurl } from '../page/try/to-curl.ts'

const hostile = [
  "it's",
  '$(touch /tmp/never)',
  '`id`',
  '$HOME',
  'a"b',
  'a\\b',
  'line\nbreak',
  '; rm -rf ~',
  '-o /tmp/x',
  '@file',
  "''",
  '!!',
  '*',
  '~',
  'ümläut 🙂',
  '',
]

test.each(hostile)('%j is one word that a shell reads as it is', (text) => {
  expect(execFileSync('sh', ['-c', `printf %s ${quote(text)}`], { encoding: 'utf8' })).toBe(text)
})

test('plain words are not quoted', () => {
  expect(quote('http://127.0.0.1:8080/a')).toBe('http://127.0.0.1:8080/a')
  expect(quote('-X')).toBe("'-X'")
})

test('a command has everything of the request, one thing a line', () => {
  const command = toCurl({
    method: 'POST',
    url: 'http://127.0.0.1:8080/a?b=c&d',
    headers: [
      ['content-type', 'application/json'],
      ['authorization', 'Bearer abc'],
    ],
    body: '{"name":"O\'Neill"}',
  })
  expect(command.split('\n')).toEqual([
    "curl -i -X POST 'http://127.0.0.1:8080/a?b=c&d' \\",
    "  -H 'content-type: application/json' \\",
    "  -H 'authorization: Bearer abc' \\",
    `  --data-raw '{"name":"O'\\''Neill"}'`,
  ])
})

test('a stream is not buffered', () => {
  const headers = [['accept', 'text/event-stream']] as const
  expect(toCurl({ method: 'GET', url: 'http://a/', headers, body: undefined })).toMatch(/^curl -iN -X GET /)
})
