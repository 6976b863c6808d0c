import type { TreeHead } from './merkle-tree.ts'
import { decodeBase64, type NoteSigner } from './signed-note.ts'

const HASH_BYTES = 32

/** The text of a checkpoint (C2SP tlog-checkpoint). */
export interface Checkpoint extends TreeHead {
  readonly origin: string
}

/** Signs the head of a tree; the origin is the name of the signer. */
export function signCheckpoint({ size, root }: TreeHead, signer: NoteSigner): string {
  return signer.sign(`${signer.name}\n${size}\n${root.toString('base64')}\n`)
}

/** Reads the text of a checkpoint without its signatures; `undefined` when it is none. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [origin = '', size = '', root = ''] = text.split('\n')
  const bytes = decodeBase64(root)
  if (origin === '' || !/^(?:0|[1-9]\d{0,15})$/.test(size) || bytes?.length !== HASH_BYTES) return undefined
  return { origin, size: Number(size), root: bytes }
}

/** A note in a file of checkpoints. */
export interface PlacedNote {
  readonly note: string
  /** The line of the file where it begins, from 1. */
  readonly line: number
}

/** The notes of a file of checkpoints. */
export interface PlacedNotes {
  readonly notes: readonly PlacedNote[]
  /** The bytes of the whole notes; an unfinished note may follow. */
  readonly wholeBytes: number
}

/** Splits a file of checkpoints. Its notes are separated by one blank line, and each has one inside. */
export function splitNotes(content: string): PlacedNotes {
  const notes: PlacedNote[] = []
  let start = 0
  let line = 1
  for (;;) {
    const middle = content.indexOf('\n\n', start)
    const end = middle === -1 ? -1 : endOfSignatures(content, middle + 2)
    if (end === -1) return { notes, wholeBytes: Buffer.byteLength(content.slice(0, wholeEnd(notes, start))) }
    const note = content.slice(start, end)
    notes.push({ note, line })
    line += note.split('\n').length
    start = end + 1
  }
}

/** The separator after the last note belongs to the next one. */
function wholeEnd(notes: readonly PlacedNote[], start: number): number {
  return notes.length === 0 ? 0 : start - 1
}

function endOfSignatures(content: string, from: number): number {
  const blank = content.indexOf('\n\n', from)
  if (blank !== -1) return blank + 1
  // The last note ends with the newline of its last signature.
  return content.endsWith('\n') && content.length > from ? content.length : -1
}
