import { readFile, rename, writeFile } from 'node:fs/promises'
import { AuditLogError } from './audit-log-error.ts'
import { parseCheckpoint } from './checkpoint.ts'
import type { TreeHead } from './merkle-tree.ts'
import type { NoteVerifier } from './signed-note.ts'

/** The head of a tree that the key has signed; throws for any other note. */
export function headOf(note: string, verifier: NoteVerifier, subject: string): TreeHead {
  const head = parseCheckpoint(verifier.open(note) ?? '')
  if (head === undefined || head.origin !== verifier.name)
    throw new AuditLogError(`${subject} no checkpoint of this key`)
  return head
}

/** Replaces the checkpoint in a head file. The file has the old one or the new one whenever the process ends. */
export async function writeHeadFile(file: string, note: string): Promise<void> {
  const next = `${file}.new`
  await writeFile(next, note, { mode: 0o600, flush: true })
  await rename(next, file)
}

/** The text of a file; empty when there is none. */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
