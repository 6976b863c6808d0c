import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import { toSdkCode } from './to-sdk-code.ts'

const request = {
  method: 'POST',
  path: '/campaigns/{campaignId}/optimizations',
  params: { campaignId: "it's\n${x} \\ \u2028" },
  body: { goal: 'ctr', 'odd key': [1, true, null, { a: [] }], ...JSON.parse('{"__proto__": {"a": 1}}') },
}

/** The evaluated argument of the call. */
function valueIn(code: string, call: string): unknown {
  const start = code.indexOf(call) + call.length
  const end = code.indexOf('\n}', start) + 2
  return new Function(`return ${code.slice(start, end)}`)()
}

test('the request in the program is the request', () => {
  const code = toSdkCode({ baseUrl: 'http://127.0.0.1:8080', request, isStream: false, endsTyped: true })
  expect(parseSync('a.ts', code).errors).toEqual([])
  expect(JSON.stringify(valueIn(code, 'client.run('))).toBe(JSON.stringify(request))
  expect(code).toContain("token: process.env['TOKEN']")
})

test('a stream that ends with an outcome is a run with its events', () => {
  const code = toSdkCode({ baseUrl: 'http://127.0.0.1:8080', request, isStream: true, endsTyped: true })
  expect(parseSync('a.ts', code).errors).toEqual([])
  expect(JSON.stringify(valueIn(code, 'client.run('))).toBe(JSON.stringify(request))
  expect(code).toContain('\n  onEvent: ({ data }) => console.log(data),\n')
})

test('a stream of another kind is read in a loop', () => {
  const code = toSdkCode({ baseUrl: 'http://127.0.0.1:8080', request, isStream: true, endsTyped: false })
  expect(parseSync('a.ts', code).errors).toEqual([])
  expect(JSON.stringify(valueIn(code, 'client.stream('))).toBe(JSON.stringify(request))
})

test('the program of a small request is this', () => {
  const small = { method: 'GET', path: '/inventory/{id}/stock', params: { id: 'p-1' }, body: undefined }
  expect(
    toSdkCode({ baseUrl: 'http://127.0.0.1:8080', request: small, isStream: true, endsTyped: false }),
  ).toBe(
    [
      "import { createClient } from '@agentic-rest/client'",
      '',
      'const client = createClient({',
      "  baseUrl: 'http://127.0.0.1:8080',",
      "  token: process.env['TOKEN'],",
      '})',
      '',
      'for await (const { data } of client.stream({',
      "  method: 'GET',",
      "  path: '/inventory/{id}/stock',",
      '  params: {',
      "    id: 'p-1',",
      '  },',
      '})) {',
      '  console.log(data)',
      '}',
      '',
    ].join('\n'),
  )
})
