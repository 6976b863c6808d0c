import { expect, onTestFinished, test } from 'vitest'
import { webhookAt } from '../../../test/plugins/lookup-server.ts'
import { makeContext, makeRoute } from '../../../test/plugins/make-exchange.ts'
import { type TenantSettings, tenantInjector } from './tenant-injector.ts'

const claim = 'org'
const webhook = webhookAt('http://127.0.0.1:9/{principal}')

test.each<[TenantSettings, string]>([
  [{ claim }, 'takes the tenant from the claim org or the header'],
  [{ claim, webhook }, 'takes the tenant from the directory or the header'],
  [{ claim, callersKnown: false }, 'takes the tenant from the header'],
  [{ claim, allowed: ['a', 'b'] }, 'takes the tenant from the claim org or the header; allowed: a, b'],
  [
    { claim, callersKnown: false, allowed: ['a', 'b', 'c', 'd', 'e'] },
    'takes the tenant from the header; allowed: a, b, c, d, e',
  ],
  [
    { claim, callersKnown: false, allowed: ['a', 'b', 'c', 'd', 'e', 'f'] },
    'takes the tenant from the header; allowed: a, b, c, d, e and 1 more',
  ],
])('the plan %#', (settings, why) => {
  const context = makeContext()
  onTestFinished(() => context.close())
  const plugin = tenantInjector(settings, context)
  expect(plugin.plan?.(makeRoute())).toEqual({ runs: true, why })
})
