import { types } from 'pg'

const { builtins } = types
// The types of arrays have no names in the driver.
const INT8_ARRAY = 1016
const TEXT_ARRAY = 1009 as Parameters<typeof types.getTypeParser>[0]

/**
 * How values come out of PostgreSQL where the driver's own way differs from PGlite's: the same query gives the same
 * row on both, whatever the time zone of the machine.
 */
const parsers = new Map<number, (text: string) => unknown>([
  [builtins.INT8, toInteger],
  [INT8_ARRAY, (text) => toIntegers(types.getTypeParser(TEXT_ARRAY, 'text')(text))],
  [builtins.DATE, (text) => new Date(`${text}T00:00:00Z`)],
  [builtins.TIMESTAMP, (text) => new Date(`${text.replace(' ', 'T')}Z`)],
  [builtins.INTERVAL, (text) => text],
  [builtins.BYTEA, (text) => new Uint8Array(Buffer.from(text.slice('\\x'.length), 'hex'))],
])

function toInteger(text: string): number | bigint {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : BigInt(text)
}

function toIntegers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toIntegers)
  return typeof value === 'string' ? toInteger(value) : value
}

/** The type parsers of every connection of a store. */
export const postgresValues: { readonly getTypeParser: typeof types.getTypeParser } = {
  getTypeParser: ((id: number, format?: 'text') =>
    parsers.get(id) ?? types.getTypeParser(id, format)) as typeof types.getTypeParser,
}
