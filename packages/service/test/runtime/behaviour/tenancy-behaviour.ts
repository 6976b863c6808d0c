import type { Outcome } from '@agentic-rest/profile'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createApprovals } from '../../../src/runtime/approvals/approvals.ts'
import type { Scope } from '../../../src/runtime/contract.ts'
import { createIdempotency } from '../../../src/runtime/idempotency.ts'
import { createOperations } from '../../../src/runtime/operations.ts'
import type { StoreUnderTest } from './store-under-test.ts'

const seed = Number(process.env['SEED'])
const runs = { seed, numRuns: 40 }

const hostile = [
  '__proto__',
  'constructor',
  "' OR 1=1 --",
  '%',
  '_',
  '\\',
  ' ',
  '',
  'null',
  '\0',
  '\ud800',
  '\ufffd',
]

/** Similar names: cut, padded, in another case, or in another Unicode form. */
const anyName = fc.oneof(
  fc.constantFrom(...hostile),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom('a', 'A', 'b', '-', 'é', 'e\u0301') }),
)

const isKept = (name: string) => name.isWellFormed() && !name.includes('\0')
const keptName = anyName.filter(isKept)
const twoNames = fc.tuple(keptName, anyName).filter(([one, two]) => one !== two)

/** A tenant never finds data of another, for all names. */
export function describeTenancy(store: StoreUnderTest): void {
  // Every run has its own part of the store, with both tenants.
  const operationOf = () => crypto.randomUUID()

  describe(`tenancy (seed ${seed})`, () => {
    it('keeps idempotency keys of tenants apart', async () => {
      const keys = createIdempotency(store())
      const property = fc.asyncProperty(twoNames, anyName, async ([mine, theirs], key) => {
        const operation = operationOf()
        const scope: Scope = { tenantId: mine, operation, requester: 'alice' }
        const claim = await keys.claim(scope, key, 'digest')
        const outcome: Outcome = { type: 'success', body: mine }
        if (claim.kind !== 'claimed') throw new Error(claim.kind)
        await store().transaction((sql) => claim.complete(sql, { outcome, headers: {} }))
        const other = { ...scope, tenantId: theirs }
        if (!isKept(theirs)) {
          await expect(keys.claim(other, key, 'digest')).rejects.toThrow(TypeError)
          return
        }
        const claimed = await keys.claim(other, key, 'digest')
        expect(claimed.kind).toBe('claimed')
        if (claimed.kind === 'claimed') await claimed.release()
        expect(await keys.claim(scope, key, 'digest')).toEqual({
          kind: 'replay',
          stored: { outcome, headers: {} },
        })
      })
      await fc.assert(property, runs)
    })

    it('keeps operations of tenants apart', async () => {
      const operations = createOperations(store())
      const property = fc.asyncProperty(twoNames, anyName, async ([mine, theirs], id) => {
        const scope: Scope = { tenantId: mine, operation: operationOf(), requester: 'alice' }
        const job = {
          scope,
          actor: '',
          roles: [],
          trace: { correlationId: 'c', requestId: 'r' },
          input: {},
          params: {},
          idempotencyKey: undefined,
          approvalId: undefined,
        }
        const { operationId } = await store().transaction((sql) => operations.accept(sql, job))
        for (const [tenant, name] of [
          [theirs, operationId],
          [theirs, id],
          [mine, id],
          [mine, operationId.toUpperCase().replace('-', '')],
        ] as const) {
          expect(await operations.status(tenant, name)).toBeUndefined()
          expect(await operations.cancel(tenant, name)).toBe('unknown')
        }
        expect(await operations.status(mine, operationId)).toMatchObject({ operationId, status: 'working' })
      })
      await fc.assert(property, runs)
    })

    it('keeps approvals of tenants, requesters and requests apart', async () => {
      const approvals = createApprovals(store())
      const wanted = { message: 'm', approver: { name: 'n' }, role: 'role' }
      const present = (token: string) => ({ token, role: 'role' })
      const decision = { approve: true, by: 'the decider', roles: ['role'] }
      const property = fc.asyncProperty(twoNames, anyName, async ([mine, theirs], id) => {
        const scope: Scope = { tenantId: mine, operation: operationOf(), requester: mine }
        const { approvalId, token } = await approvals.request(scope, mine, wanted)
        expect(await approvals.view(theirs, approvalId)).toBeUndefined()
        expect(await approvals.view(mine, id)).toBeUndefined()
        expect(await approvals.decide(theirs, approvalId, decision)).toBe('unknown')
        expect(await approvals.decide(mine, approvalId, { ...decision, by: mine })).toBe('own_request')
        expect(await approvals.decide(mine, approvalId, decision)).toBe('decided')
        for (const other of [
          { ...scope, tenantId: theirs },
          { ...scope, requester: theirs },
          { ...scope, operation: theirs },
        ]) {
          expect(await approvals.check(other, mine, present(token))).toEqual({ kind: 'invalid' })
        }
        expect(await approvals.check(scope, theirs, present(token))).toEqual({ kind: 'invalid' })
        expect(await approvals.check(scope, mine, present(id))).toEqual({ kind: 'invalid' })
        expect(await approvals.check(scope, mine, present(token))).toMatchObject({
          kind: 'approved',
          approvalId,
        })
      })
      await fc.assert(property, runs)
    })
  })
}
