import type { AuditEvent } from '@agentic-rest/profile'
import type { AuditAttribute } from '../../config/config-schema.ts'
import type { Exchange } from '../../exchange.ts'
import { readClaim } from '../read-claim.ts'

/** The fields of the record whose source an operator may replace; the others are the gateway's own word. */
export const mappableFields = [
  'tenant_id',
  'actor_id',
  'request_id',
  'correlation_id',
  'operation',
  'resource_id',
] as const satisfies readonly (keyof AuditEvent)[]

/** A field whose source may be replaced. */
export type MappableField = (typeof mappableFields)[number]

/** Values that an operator mapped: some replace a field of the record, the others are free-form. */
export interface MappedValues {
  readonly fields: Partial<Record<MappableField, string>>
  readonly attributes: Record<string, string>
}

/** What a mapping reads of a request. */
export type MappingSource = Pick<Exchange, 'headers' | 'identity' | 'route'>

/** The mapped values of a request; a source that the request does not have leaves no trace. */
export type AttributeMapping = (exchange: MappingSource) => MappedValues

const NOTHING_MAPPED: MappedValues = { fields: Object.freeze({}), attributes: Object.freeze({}) }

type Read = (exchange: MappingSource) => string | undefined

/** Turns the `attributes` list of the configuration into one function, so that a request parses nothing. */
export function createAttributeMapping(entries: readonly AuditAttribute[]): AttributeMapping {
  if (entries.length === 0) return () => NOTHING_MAPPED
  const rows = entries.map((entry) => ({ field: entry.field, read: reader(entry) }))
  const fieldRows = rows.flatMap(({ field, read }) => (isMappable(field) ? [{ field, read }] : []))
  const attributeRows = rows.filter(({ field }) => !isMappable(field))
  return function mapAttributes(exchange) {
    return { fields: collect(fieldRows, exchange), attributes: collect(attributeRows, exchange) }
  }
}

function collect<Field extends string>(
  rows: readonly { readonly field: Field; readonly read: Read }[],
  exchange: MappingSource,
): Record<Field, string> {
  const values: Record<Field, string> = Object.create(null)
  for (const { field, read } of rows) {
    const value = read(exchange)
    if (value !== undefined) values[field] = value
  }
  return values
}

function reader({ from_header, from_claim }: AuditAttribute): Read {
  if (from_header !== undefined) {
    const key = from_header.toLowerCase()
    return ({ headers }) => headers[key]
  }
  if (from_claim !== undefined) {
    return ({ identity }) => identity && claimText(readClaim(identity.claims, from_claim))
  }
  return ({ route }) => route?.id
}

function claimText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  return typeof value === 'object' ? jsonText(value) : String(value)
}

/** A claim nested deep enough to overflow the stack must not cost its bearer's record (F14). */
function jsonText(value: object): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

function isMappable(field: string): field is MappableField {
  return (mappableFields as readonly string[]).includes(field)
}
