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
    `curl -i -X POST -H 'X-A: it'\\''s' -H 'X-Empty;' --data-binary '{"a":"$HOME \`b\`"}' 'http://127.0.0.1/a?b=c&d'`,
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
