import { expect, onTestFinished, test } from 'vitest'
import { makeContext, makeRoute } from '../../../test/plugins/make-exchange.ts'
import { licenseCheck } from './license-check.ts'

test('the plan depends on the license of the route', () => {
  const context = makeContext()
  onTestFinished(() => context.close())
  const { plan } = licenseCheck({ tenants: {} }, context)
  expect(plan?.(makeRoute())).toEqual({ runs: false, why: 'the route names no license' })
  expect(plan?.(makeRoute({ license: 'optimize' }))).toEqual({
    runs: true,
    why: 'wants a licence for the feature optimize',
  })
})
