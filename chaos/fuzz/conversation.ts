import type { Seeded } from '../seeded.ts'
import { lastRequest, makeRequest, type Tokens } from './requests.ts'

/** The bytes of one connection and the way to send them. */
export interface Conversation {
  readonly bytes: Buffer
  /** The positions between writes, ascending. */
  readonly cuts: readonly number[]
  /** Pauses between writes, so that they arrive separately. */
  readonly paced: boolean
  /** The client leaves after the answers, or earlier by closing or by a reset. */
  readonly leaves: 'after answers' | 'early' | 'with a reset'
}

/** Creates a conversation; the same choices give the same bytes. */
export function makeConversation(random: Seeded, tokens: Tokens): Conversation {
  const bytes = Buffer.from(random.chance(0.02) ? noise(random) : requests(random, tokens), 'latin1')
  const leaves = random.chance(0.95) ? 'after answers' : random.pick(['early', 'with a reset'] as const)
  const sent = leaves === 'after answers' ? bytes : bytes.subarray(0, random.below(bytes.length + 1))
  return { bytes: sent, cuts: makeCuts(random, sent.length), paced: random.chance(0.3), leaves }
}

function requests(random: Seeded, tokens: Tokens): string {
  let text = ''
  for (let count = random.between(1, random.chance(0.1) ? 30 : 10); count > 0; count -= 1)
    text += makeRequest(random, tokens)
  return random.chance(0.85) ? text + lastRequest(random, tokens) : text
}

function noise(random: Seeded): string {
  return String.fromCharCode(...Array.from({ length: random.below(300) }, () => random.below(256)))
}

function makeCuts(random: Seeded, length: number): number[] {
  if (random.chance(0.5) || length < 2) return []
  // Byte by byte in some part: a parser must not depend on packet boundaries.
  if (random.chance(0.06)) {
    const first = random.below(length)
    return Array.from({ length: Math.min(60, length - first) }, (_, index) => first + index)
  }
  const cuts = Array.from({ length: random.between(1, 6) }, () => random.between(1, length - 1))
  return [...new Set(cuts)].toSorted((first, second) => first - second)
}

/** Bytes as readable text that can be turned back into the same bytes. */
export function escaped(bytes: Buffer, most = 4000): string {
  const text = JSON.stringify(bytes.toString('latin1', 0, most))
  return bytes.length > most ? `${text} and ${bytes.length - most} bytes more` : text
}
