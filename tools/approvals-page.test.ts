import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { parseJson } from '../packages/profile/src/parse-json.ts'
import { bundleForPage } from './approvals-page.ts'

let bundled: { readonly parseJson: typeof parseJson }
beforeAll(async () => {
  const code = await bundleForPage(join(import.meta.dirname, '../packages/profile/src/parse-json.ts'), 'esm')
  bundled = await import(`data:text/javascript,${encodeURIComponent(code)}`)
})

// Each text has something that makes the reader work without the engine: a number with an exponent or an escaped name.
test.each([
  '{"amount":1e21,"constructor":{"iban":"X"}}',
  String.raw`{"a\u0062":1,"toString":2,"valueOf":3,"__proto__":5}`,
  String.raw`{"a\u0062":1,"a":1,"a":2}`,
])('the reader of JSON in the page reads what the others read: %s', (text) => {
  expect(JSON.stringify(bundled.parseJson(text))).toBe(JSON.stringify(parseJson(text)))
})
