import type { Reading } from './readers.ts'

/** How two readings of the same bytes differ. */
export interface Difference {
  /** `framed` is a fault: both take the same bytes for requests, but for different ones. */
  readonly kind: 'framed' | 'ours alone' | 'node alone'
  /** The word of the reader that refused. */
  readonly reason: string
}

/** Compares the gateway's reading with Node's; nothing where they agree. */
export function differenceOf(ours: Reading, node: Reading): Difference | undefined {
  const count = Math.max(ours.requests.length, node.requests.length)
  for (let index = 0; index < count; index += 1) {
    const own = ours.requests[index]
    const other = node.requests[index]
    if (own === undefined) return refusedByOurs(ours)
    if (other === undefined) return { kind: 'ours alone', reason: node.end }
    if (own.head !== other.head) return { kind: 'framed', reason: 'another head' }
    if (own.isComplete && other.isComplete) {
      if (own.body !== other.body) return { kind: 'framed', reason: 'another body' }
      continue
    }
    if (own.isComplete) return { kind: 'ours alone', reason: node.end }
    if (other.isComplete) return refusedByOurs(ours)
    if (!own.body.startsWith(other.body) && !other.body.startsWith(own.body))
      return { kind: 'framed', reason: 'another body' }
  }
  if (ours.end === 'last') return undefined
  const isRefused = ours.end !== 'between'
  const isRefusedByNode = node.end !== 'between' && node.end !== 'last'
  if (isRefused === isRefusedByNode) return undefined
  return isRefused ? refusedByOurs(ours) : { kind: 'ours alone', reason: node.end }
}

function refusedByOurs({ end }: Reading): Difference | undefined {
  // Bytes behind the last request of a connection are ignored (RFC 9112, section 9.6).
  return end === 'last' ? undefined : { kind: 'node alone', reason: end }
}
