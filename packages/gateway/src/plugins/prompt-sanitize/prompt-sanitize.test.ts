import { expect, onTestFinished, test } from 'vitest'
import { makeContext, makeRoute } from '../../../test/plugins/make-exchange.ts'
import { promptSanitize } from './prompt-sanitize.ts'

test.each([
  [[], false, 'it has no rules'],
  [['email'], true, 'looks at path, query and body with rule email'],
  [['email', 'iban'], true, 'looks at path, query and body with rules email, iban'],
] as const)('the plan with rules %j', (names, runs, why) => {
  const context = makeContext()
  onTestFinished(() => context.close())
  const rules = names.map((name) => ({ name, builtin: name, action: 'redact' as const }))
  const plugin = promptSanitize({ max_body_bytes: 1000, uninspected: 'refuse', rules }, context)
  expect(plugin.plan?.(makeRoute())).toEqual({ runs, why })
})
