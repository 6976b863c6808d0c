import type { ListPlace } from './optimization-table.ts'

const MAX_LENGTH = 200

/** The cursor for a position in the list. Callers send it back unchanged. */
export function writeCursor({ createdAt, id }: ListPlace): string {
  return Buffer.from(JSON.stringify([createdAt, id])).toString('base64url')
}

/** The position of a cursor; nothing for a text that this service did not create. */
export function readCursor(text: string): ListPlace | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const place = parsePlace(Buffer.from(text, 'base64url').toString('utf8'))
  // Decoding is lenient, so the result must encode to the same text again.
  return place !== undefined && writeCursor(place) === text ? place : undefined
}

function parsePlace(text: string): ListPlace | undefined {
  const [, createdAt, id] =
    /^\["(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)","(opt-[\da-f-]{36})"\]$/.exec(text) ?? []
  if (createdAt === undefined || id === undefined) return undefined
  return Number.isNaN(Date.parse(createdAt)) ? undefined : { createdAt, id }
}
