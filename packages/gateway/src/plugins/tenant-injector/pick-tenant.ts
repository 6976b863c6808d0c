import type { Outcome } from '@agentic-rest/profile'
import { refusal } from '../../errors.ts'
import type { Admits } from './tenant-id.ts'

/** The tenant of a request, or the outcome that refuses it. */
export type PickedTenant = string | Outcome

/** What a request asks for and what it may have. */
export interface TenantRequest {
  /** The header, already admitted; `undefined` when it was not sent. */
  readonly asked: string | undefined
  /** What the token or the directory grants, as found there; `undefined` when neither says anything. */
  readonly granted: readonly unknown[] | undefined
}

/** Picks the tenant: the header out of what is granted, or the only one that is granted (decision 18). */
export function pickTenant({ asked, granted }: TenantRequest, admits: Admits): PickedTenant {
  if (asked === undefined) return onlyTenant(granted ?? [], admits)
  if (granted === undefined || granted.includes(asked)) return asked
  return refusal('TENANT_MISMATCH')
}

/** Several tenants are never narrowed to the one that is let in: the caller says which it means. */
function onlyTenant(granted: readonly unknown[], admits: Admits): PickedTenant {
  const [only] = granted
  if (granted.length === 0 || granted.some((tenant) => tenant !== only)) return refusal('TENANT_REQUIRED')
  return admits(only) ? only : refusal('TENANT_UNKNOWN')
}
