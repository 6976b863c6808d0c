import { patterned } from './field-kinds.ts'

/** The form of a tenant id, wherever it comes from (decision 18). */
export const TENANT_ID = /^[A-Za-z0-9._-]{1,64}$/

/** A tenant id in the file. */
export const tenantId = () => patterned('a tenant id (1 to 64 letters, digits, ".", "_" or "-")', TENANT_ID)
