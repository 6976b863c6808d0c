import { parseCheckpoint } from './checkpoint.ts'
import { leafHash, rootOfInclusion } from './merkle-tree.ts'
import { decodeBase64, type NoteVerifier } from './signed-note.ts'

const HEADER = 'c2sp.org/tlog-proof@v1'

/** A proof that a line is in a log (C2SP tlog-proof). */
export interface LineProof {
  /** The number of the line in the log, from 0. */
  readonly index: number
  /** The bytes of the line without its newline. */
  readonly line: Buffer
  readonly path: readonly Buffer[]
  /** The signed checkpoint. */
  readonly checkpoint: string
}

/** Writes a proof; the line is in `extra`. */
export function formatProof({ index, line, path, checkpoint }: LineProof): string {
  const hashes = path.map((hash) => hash.toString('base64'))
  const head = [HEADER, `extra ${line.toString('base64')}`, `index ${index}`, ...hashes]
  return `${head.join('\n')}\n\n${checkpoint}`
}

/** Whether a text is a proof, by its first line. */
export function isProof(text: string): boolean {
  return text.startsWith(`${HEADER}\n`)
}

/** Reads a proof; `undefined` when it is not well-formed. */
export function parseProof(text: string): LineProof | undefined {
  const end = text.indexOf('\n\n')
  const [header, extra = '', place = '', ...hashes] = text.slice(0, Math.max(0, end)).split('\n')
  const line = decodeBase64(extra.replace(/^extra /, ''))
  const [, index] = /^index (0|[1-9]\d{0,15})$/.exec(place) ?? []
  const path = hashes.flatMap((hash) => decodeBase64(hash) ?? [])
  if (header !== HEADER || !extra.startsWith('extra ') || line === undefined || index === undefined)
    return undefined
  if (path.length !== hashes.length || path.some((hash) => hash.length !== 32)) return undefined
  return { index: Number(index), line, path, checkpoint: text.slice(end + 2) }
}

/** Checks a proof; returns its fault, if it has one. */
export function proofFault(
  { index, line, path, checkpoint }: LineProof,
  verifier: NoteVerifier,
): string | undefined {
  const text = verifier.open(checkpoint)
  const head = text === undefined ? undefined : parseCheckpoint(text)
  if (head === undefined || head.origin !== verifier.name) return 'the key has not signed its checkpoint'
  const root = rootOfInclusion(leafHash(line), { index, size: head.size }, path)
  return root?.equals(head.root) ? undefined : 'its line is not in the log of its checkpoint'
}
