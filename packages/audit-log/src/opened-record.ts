import { parseJson } from '@agentic-rest/profile'
import { parseCheckpoint } from './checkpoint.ts'
import { TreeEdge } from './merkle-tree.ts'
import type { RefusedLog } from './set-aside.ts'
import { decodeBase64, type NoteVerifier } from './signed-note.ts'

/** The event type of the record that a log writes when it opens a file. */
export const OPENED = 'agentic.audit.opened'

/** The bytes after the last whole line, which were moved to a side file. */
export interface TornLine {
  readonly bytes: number
  readonly sha256: string
  readonly file: string
}

/** The facts of an opened file. */
export interface OpenedFacts {
  readonly timestamp: string
  /** The last checkpoint; absent in a new log. */
  readonly checkpoint: string | undefined
  /** The edge of the tree before this record, if the checkpoint is of exactly these lines. */
  readonly edge: TreeEdge | undefined
  readonly torn?: TornLine | undefined
  /** The log before, if it was not continued. */
  readonly refused?: RefusedLog | undefined
}

/** The record of an opened file: an audit event whose facts are attributes. */
export function openedRecord({ timestamp, checkpoint, edge, torn, refused }: OpenedFacts): string {
  return JSON.stringify({
    event_type: OPENED,
    tenant_id: '',
    actor_id: '',
    request_id: '',
    correlation_id: '',
    operation: '',
    resource_id: '',
    outcome: 'success',
    timestamp,
    attributes: {
      ...(checkpoint !== undefined && { checkpoint }),
      ...(edge !== undefined && { edge: edge.hashes.map((hash) => hash.toString('base64')).join(' ') }),
      ...(torn !== undefined && {
        torn_bytes: String(torn.bytes),
        torn_sha256: torn.sha256,
        torn_file: torn.file,
      }),
      ...(refused !== undefined && {
        refused_log: refused.folder,
        refused_because: refused.reason,
      }),
    },
  })
}

/** The checkpoint in the first line of a file and the tree before that line, as far as the key has signed them. */
export function readOpened(line: Buffer, seq: number, verifier: NoteVerifier): TreeEdge | undefined {
  const { checkpoint = '', edge = '' } = attributesOf(line)
  const text = verifier.open(checkpoint)
  const head = text === undefined ? undefined : parseCheckpoint(text)
  if (head === undefined || head.origin !== verifier.name || head.size !== seq) return undefined
  const hashes = edge.split(' ').flatMap((hash) => decodeBase64(hash) ?? [])
  const tree = edgeOf(seq, hashes)
  return tree?.root().equals(head.root) ? tree : undefined
}

function edgeOf(size: number, hashes: readonly Buffer[]): TreeEdge | undefined {
  try {
    return new TreeEdge(size, hashes)
  } catch {
    return undefined
  }
}

function attributesOf(line: Buffer): Partial<Record<'checkpoint' | 'edge', string>> {
  const { event_type, attributes } = Object(parseJson(line.toString()).value)
  return event_type === OPENED && typeof attributes === 'object' && attributes !== null ? attributes : {}
}
