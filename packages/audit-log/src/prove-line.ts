import { parseJson } from '@agentic-rest/profile'
import { parseCheckpoint, splitNotes } from './checkpoint.ts'
import { LeafTree, leafHash, TreeEdge, type TreeHead } from './merkle-tree.ts'
import { readOpened } from './opened-record.ts'
import { readHead, readLines } from './sealed-line.ts'
import type { NoteVerifier } from './signed-note.ts'
import { type LineProof, proofFault } from './tlog-proof.ts'
import { byName, type CheckpointFile } from './verify-log.ts'

/** The lines to prove, in the files of a log. */
export interface ProveOptions {
  readonly requestId: string
  readonly files: readonly string[]
  readonly verifier: NoteVerifier
  readonly checkpoints: readonly CheckpointFile[]
}

/** Proofs of lines, or the reason why there are none. */
export type ProveResult =
  | { readonly ok: true; readonly proofs: readonly LineProof[] }
  | { readonly ok: false; readonly reason: string }

interface ReadLog {
  readonly tree: LeafTree
  readonly size: number
  readonly found: readonly { readonly index: number; readonly line: Buffer }[]
}

/** Proves every record of a request against the last checkpoint of the log. */
export async function proveLines(options: ProveOptions): Promise<ProveResult> {
  const log = await readLog(options)
  if (log === undefined) return refuse('the files do not begin with the first line or a signed checkpoint')
  if (log.found.length === 0) return refuse('no record has this request id')
  const last = lastCheckpoint(options, log.size)
  const sealed = log.found.filter(({ index }) => index < (last?.size ?? 0))
  if (last === undefined || sealed.length === 0) return refuse('no checkpoint covers the record yet')
  const proofs = sealed.map(({ index, line }) => {
    const path = log.tree.inclusionProof(index, last.size)
    return { index, line, path, checkpoint: last.note }
  })
  if (proofs.some((proof) => proofFault(proof, options.verifier) !== undefined))
    return refuse('the lines do not have the root of the last checkpoint; verify the log')
  return { ok: true, proofs }
}

function refuse(reason: string): ProveResult {
  return { ok: false, reason }
}

async function readLog({ files, requestId, verifier }: ProveOptions): Promise<ReadLog | undefined> {
  const needle = `"request_id":${JSON.stringify(requestId)}`
  const all: Buffer[] = []
  const found: ReadLog['found'][number][] = []
  let edge: TreeEdge | undefined
  for await (const line of allLines(files)) {
    edge ??= startOf(line, verifier)
    if (edge === undefined) return undefined
    if (line.includes(needle) && requestIdOf(line) === requestId)
      found.push({ index: edge.size + all.length, line: Buffer.from(line) })
    all.push(leafHash(line))
  }
  const start = edge ?? new TreeEdge()
  return { tree: new LeafTree(all, start), size: start.size + all.length, found }
}

async function* allLines(files: readonly string[]): AsyncGenerator<Buffer> {
  for (const file of files.toSorted(byName)) for await (const { lines } of readLines(file)) yield* lines
}

function startOf(line: Buffer, verifier: NoteVerifier): TreeEdge | undefined {
  const seq = readHead(line)?.seq
  if (seq === undefined) return undefined
  return seq === 0 ? new TreeEdge() : readOpened(line, seq, verifier)
}

/** The field of the record itself: an attribute may mention the id too. */
function requestIdOf(line: Buffer): unknown {
  return Object(parseJson(line.toString()).value).request_id
}

function lastCheckpoint({ checkpoints, verifier }: ProveOptions, size: number) {
  const heads = checkpoints
    .flatMap(({ content }) => splitNotes(content).notes)
    .flatMap(({ note }) => {
      const head: TreeHead | undefined = parseCheckpoint(verifier.open(note) ?? '')
      return head === undefined || head.size > size ? [] : [{ note, size: head.size }]
    })
  return heads.toSorted((one, other) => one.size - other.size).at(-1)
}
