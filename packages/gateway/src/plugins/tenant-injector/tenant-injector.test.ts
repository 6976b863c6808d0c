import { expect, onTestFinished, test } from 'vitest'
import { webhookAt } from '../../../test/plugins/lookup-server.ts'
import { makeContext, makeRoute } from '../../../test/plugins/make-exchange.ts'
import { type TenantSettings, tenantInjector } from './tenant-injector.ts'

const claim = 'org'
const webhook = webhookAt('http://127.0.0.1:9/{principal}')

const closed = { claim, trust_header: 'service_accounts' } as const
const open = { claim, trust_header: 'everyone' } as const

test.each<[TenantSettings, string]>([
  [closed, 'takes the tenant from the claim org, for service accounts from the header'],
  [{ ...closed, webhook }, 'takes the tenant from the directory, for service accounts from the header'],
  [open, 'takes the tenant from the claim org or the header'],
  [{ ...open, webhook }, 'takes the tenant from the directory, for service accounts from the header'],
  [{ ...open, callersKnown: false }, 'takes the tenant from the header'],
  [{ ...open, allowed: ['a', 'b'] }, 'takes the tenant from the claim org or the header; allowed: a, b'],
  [
    { ...open, callersKnown: false, allowed: ['a', 'b', 'c', 'd', 'e'] },
    'takes the tenant from the header; allowed: a, b, c, d, e',
  ],
  [
    { ...open, callersKnown: false, allowed: ['a', 'b', 'c', 'd', 'e', 'f'] },
    'takes the tenant from the header; allowed: a, b, c, d, e and 1 more',
  ],
])('the plan %#', (settings, why) => {
  const context = makeContext()
  onTestFinished(() => context.close())
  const plugin = tenantInjector(settings, context)
  expect(plugin.plan?.(makeRoute())).toEqual({ runs: true, why })
})
