import { expect, test } from 'vitest'
import { curlCommand } from './curl-command.ts'

const request = { method: 'POST', url: 'http://127.0.0.1/a?b=c&d', trace: {} }

test('a command has method, headers, body and address, quoted for a shell', () => {
  const command = curlCommand({
    ...request,
    headers: { 'X-A': "it's", 'X-Empty': '' },
    body: '{"a":"$HOME `b`"}',
  })
  expect(command).toBe(
    `curl -g -i -X POST -H 'X-A: it'\\''s' -H 'X-Empty;' --data-raw '{"a":"$HOME \`b\`"}' 'http://127.0.0.1/a?b=c&d'`,
  )
})

test.each([
  { headers: { authorization: 'Bearer secret' }, shown: '"authorization: Bearer $TOKEN"' },
  { headers: { Authorization: 'Basic secret' }, shown: '"Authorization: $AUTHORIZATION"' },
  { headers: { 'X-Approval-Token': 'secret' }, shown: '"X-Approval-Token: $APPROVAL_TOKEN"' },
  { headers: { Cookie: 'secret' }, shown: '"Cookie: $COOKIE"' },
  { headers: { 'x-api-key': 'secret' }, shown: '"x-api-key: $API_KEY"' },
])('a secret is left for the reader to fill in: $shown', ({ headers, shown }) => {
  const command = curlCommand({ ...request, headers: headers as Record<string, string> })
  expect(command).toContain(`-H ${shown}`)
  expect(command).not.toContain('secret')
})

test('a token has the name that the scenario gives it, and a false one is shown as it is', () => {
  const show = (text: string, shown: string) =>
    curlCommand({ ...request, headers: { Authorization: `Bearer ${text}` }, bearer: { text, shown } })
  expect(show('secret', '$TOKEN_BOB')).toContain('-H "Authorization: Bearer $TOKEN_BOB"')
  expect(show('not-a-token', 'not-a-token')).toContain('-H "Authorization: Bearer not-a-token"')
})

test.each([
  {
    title: 'HEAD is asked so that curl expects no body',
    method: 'HEAD',
    body: 'b',
    command: `-I 'http://a/'`,
  },
  { title: 'a body is no file', body: '@/etc/hostname', command: `-i -X POST --data-raw '@/etc/hostname' ` },
  {
    title: 'a line break is one',
    body: "it's\na\\b\u202e",
    command: String.raw`--data-raw $'it\'s\na\\b\xe2\x80\xae' `,
  },
  { title: 'what is too long is left to the reader', body: 'b'.repeat(4001), command: `--data-raw "$BODY" ` },
  { title: 'what no argument can hold is left to the reader', body: 'a\0b', command: `--data-raw "$BODY" ` },
])('$title', ({ method = 'POST', body, command }) => {
  expect(curlCommand({ method, url: 'http://a/', headers: {}, body, trace: {} })).toContain(command)
})
