import { entriesAt, isPresent, type Rule, textAt } from './draft.ts'

const SAFE_METHODS: readonly (string | undefined)[] = ['GET', 'HEAD', 'OPTIONS']
const STORE = ['gateway', 'idempotency', 'store']

const sharedStoreNeedsRedis: Rule = ({ value }) => {
  if (textAt(value, STORE) !== 'shared' || isPresent(value, ['gateway', 'shared'])) return []
  return [{ path: STORE, message: 'is shared, which needs gateway.shared' }]
}

/** A request without an effect needs no key; a stored answer would only be old. */
const keysNeedAnEffect: Rule = ({ value }) =>
  entriesAt(value, ['routes']).flatMap((route) => {
    const mode = textAt(value, [...route, 'idempotency', 'mode'])
    const method = textAt(value, [...route, 'method'])
    if (mode === undefined || mode === 'off' || !SAFE_METHODS.includes(method)) return []
    return [{ path: [...route, 'idempotency'], message: `is not for ${method}, which has no effect` }]
  })

/** The rules of idempotency keys. */
export const idempotencyRules: readonly Rule[] = [sharedStoreNeedsRedis, keysNeedAnEffect]
