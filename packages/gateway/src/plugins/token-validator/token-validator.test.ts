import { expect, onTestFinished, test } from 'vitest'
import { makeContext, makeRoute } from '../../../test/plugins/make-exchange.ts'
import { makeOptions } from '../../../test/plugins/token-validator/make-validator.ts'
import { planTokenValidator, tokenValidator } from './token-validator.ts'

const hs256 = (issuer: string) => ({ issuer, algorithms: ['HS256'], hs256_secret: 's'.repeat(32) })
const one = makeOptions({ issuers: [hs256('a')] })
const two = makeOptions({ issuers: [hs256('a'), hs256('b')] })
const off = makeOptions({ mode: 'off' })

test.each([
  [one, [], true, 'wants a token of the issuer'],
  [two, [], true, 'wants a token of one of 2 issuers'],
  [one, ['admin'], true, 'wants a token of the issuer with role admin'],
  [one, ['admin', 'dev'], true, 'wants a token of the issuer with roles admin, dev'],
  [off, [], false, 'its mode is off'],
  [off, ['admin'], true, 'refuses everybody: its mode is off and the route wants role admin'],
])('the plan %#', (options, roles, runs, why) => {
  const context = makeContext()
  onTestFinished(() => context.close())
  const route = makeRoute({ roles })
  expect(planTokenValidator(options, route)).toEqual({ runs, why })
  expect(tokenValidator(options, context).plan?.(route)).toEqual({ runs, why })
})
