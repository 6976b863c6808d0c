import { TENANT_ID } from '../../config/schema/tenant-id.ts'

/** Judges whether a value, wherever it comes from, is a tenant that is let in here. */
export type Admits = (value: unknown) => value is string

/** Makes the judge: the form of decision 18 always, the list of allowed tenants where there is one. */
export function admitting(allowed: readonly string[] | undefined): Admits {
  if (allowed === undefined) return isTenantId
  const tenants = new Set<unknown>(allowed)
  return (value): value is string => isTenantId(value) && tenants.has(value)
}

function isTenantId(value: unknown): value is string {
  return typeof value === 'string' && TENANT_ID.test(value)
}
