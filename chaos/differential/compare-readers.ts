import type { ChaosContext, Figure } from '../chaos-run.ts'
import { escaped } from '../fuzz/conversation.ts'
import { createSeeded, type Seeded } from '../seeded.ts'
import { makeInput } from './raw-inputs.ts'
import { type Reading, type ReadRequest, readWithGateway, readWithNode } from './readers.ts'

/** How two readings of the same bytes differ. */
export interface Difference {
  /** `node alone` is a stricter gateway; the others are faults. */
  readonly kind: 'framed differently' | 'gateway alone' | 'node alone' | 'served unframed'
  /** The word of the reader that refused. */
  readonly reason: string
}

/** Compares the gateway's reading with Node's; nothing where they agree. */
export function differenceOf(gateway: Reading, node: Reading): Difference | undefined {
  if (gateway.requests.some(({ isServedUnframed }) => isServedUnframed))
    return { kind: 'served unframed', reason: 'no end that is known' }
  const count = Math.max(gateway.requests.length, node.requests.length)
  for (let index = 0; index < count; index += 1) {
    const own = gateway.requests[index]
    const other = node.requests[index]
    if (own === undefined) return stricter(gateway)
    if (other === undefined) return { kind: 'gateway alone', reason: node.end }
    if (isFramedDifferently(own, other)) return { kind: 'framed differently', reason: 'another request' }
    // Node's parser reads no body of an upgrade, and the gateway nothing behind it.
    if (other.isUpgrade === true) return undefined
    if (own.isComplete !== other.isComplete)
      return other.isComplete ? stricter(gateway) : { kind: 'gateway alone', reason: node.end }
  }
  return differenceAtEnd(gateway, node)
}

function isFramedDifferently(own: ReadRequest, other: ReadRequest): boolean {
  if (own.head !== other.head) return true
  if (!own.body.startsWith(other.body) && !other.body.startsWith(own.body)) return true
  return own.isComplete && other.isComplete && !other.isUpgrade && own.body !== other.body
}

function differenceAtEnd(gateway: Reading, node: Reading): Difference | undefined {
  if (gateway.end === 'last' || isRefused(gateway) === isRefused(node)) return undefined
  return isRefused(gateway) ? stricter(gateway) : { kind: 'gateway alone', reason: node.end }
}

function isRefused({ end }: Reading): boolean {
  return end !== 'between' && end !== 'last'
}

function stricter({ end }: Reading): Difference | undefined {
  // Bytes behind the last request of a connection are ignored (RFC 9112, section 9.6).
  return end === 'last' ? undefined : { kind: 'node alone', reason: end }
}

/** Inputs up to this size, nearly all of them, are also read byte by byte. */
const BYTE_BY_BYTE = 1024
const TOLD_EVERY = 500_000
const TURN = 10_000

/** Reads the same bytes with the gateway's reader and with Node's, whole and in pieces. */
export async function compareReaders(context: ChaosContext, inputs: number): Promise<readonly Figure[]> {
  const random = createSeeded(context.seed, READERS)
  const counts = new Map<string, number>()
  const count = (what: string, bytes?: Buffer) => {
    const before = counts.get(what) ?? 0
    counts.set(what, before + 1)
    if (bytes !== undefined && before < 5) context.tell(`differential: ${what}: ${escaped(bytes, 400)}`)
  }
  // Traces of the stack took a fifth of the time: most inputs are refused.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  let read = 0
  for (; read < inputs && !context.signal.aborted; read += 1) {
    const bytes = makeInput(random)
    const reading = readWithGateway(bytes)
    const difference = differenceOf(reading, readWithNode(bytes))
    if (difference?.kind === 'node alone') count(`node alone, ${difference.reason}`)
    else if (difference !== undefined) count(difference.kind, bytes)
    if (!isSameInPieces(reading, bytes, random)) count('other in pieces', bytes)
    if (read % TOLD_EVERY === 0) context.tell(`differential: ${read} inputs read by both readers`)
    // A signal that stops the run is only seen between turns.
    if (read % TURN === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  Error.stackTraceLimit = stackTraceLimit
  for (const [what, times] of counts) context.tell(`differential: ${what}: ${times}`)
  const none = (name: string, what: string): Figure => ({
    name,
    measured: counts.get(what) ?? 0,
    limit: 0,
    kind: 'exactly',
  })
  return [
    { name: 'inputs read by both readers', measured: read, limit: inputs, kind: 'exactly' },
    none('inputs that the readers frame differently', 'framed differently'),
    none('inputs that only the reader of the gateway accepts', 'gateway alone'),
    none('inputs that pass the check of heads although their end is not known', 'served unframed'),
    none('inputs that are read otherwise in pieces', 'other in pieces'),
  ]
}

const READERS = 7

function isSameInPieces(whole: Reading, bytes: Buffer, random: Seeded): boolean {
  if (bytes.length < 2) return true
  const cut = random.between(1, bytes.length - 1)
  if (!isSameReading(whole, readWithGateway(bytes, [cut]))) return false
  if (bytes.length > BYTE_BY_BYTE) return true
  const everywhere = Array.from({ length: bytes.length - 1 }, (_, at) => at + 1)
  return isSameReading(whole, readWithGateway(bytes, everywhere))
}

function isSameReading(one: Reading, other: Reading): boolean {
  if (isRefused(one) !== isRefused(other) || one.requests.length !== other.requests.length) return false
  return one.requests.every((request, index) => {
    const { head, body, isComplete } = other.requests[index] ?? {}
    return request.head === head && request.body === body && request.isComplete === isComplete
  })
}
