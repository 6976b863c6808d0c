import { expect, it } from 'vitest'
import { HeldBytes, TenantByteAccount } from './held-bytes.ts'
import type { TenantCounts } from './tenant-counts.ts'

const MANY_TENANTS = 100_000

it('holds as many bytes as one tenant may, and as all may together', () => {
  const held = new HeldBytes(() => ({ total: 100, perTenant: 60 }))
  const acme = new TenantByteAccount(held, 'acme')
  expect([acme.take(50), acme.take(11), acme.take(10)]).toEqual([undefined, 'perTenant', undefined])
  const globex = new TenantByteAccount(held, 'globex')
  expect([globex.take(41), globex.refusal(40), globex.take(40)]).toEqual(['total', undefined, undefined])
  expect([held.total, held.of('acme'), held.of('globex')]).toEqual([100, 60, 40])
})

it('counts bytes that are there already, even above the bounds', () => {
  const held = new HeldBytes(() => ({ total: 10, perTenant: 10 }))
  const account = new TenantByteAccount(held, 'acme')
  account.add(25)
  expect([held.total, account.take(1)]).toEqual([25, 'perTenant'])
  account.add(-20)
  expect([held.total, account.take(5)]).toEqual([5, undefined])
})

it('forgets everything of a request that ended, once, and takes nothing more for it', () => {
  const held = new HeldBytes(() => ({ total: 100, perTenant: 100 }))
  const [first, second] = [new TenantByteAccount(held, 'acme'), new TenantByteAccount(held, 'acme')]
  first.take(30)
  second.take(20)
  first.close()
  first.close()
  first.add(5)
  expect([held.total, first.take(1), first.refusal(0)]).toEqual([20, 'ended', 'ended'])
})

it('keeps little for tenants that hold no bytes', () => {
  const held = new HeldBytes(() => ({ total: 100, perTenant: 100 }))
  for (let index = 0; index < MANY_TENANTS; index += 1) {
    const account = new TenantByteAccount(held, `tenant-${index}`)
    account.take(3)
    account.close()
  }
  expect(held.total).toBe(0)
  expect((held as unknown as { byTenant: TenantCounts }).byTenant.size).toBeLessThan(1024)
})
