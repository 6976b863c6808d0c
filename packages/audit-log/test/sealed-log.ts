import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { AuditFile, type AuditFileOptions } from '../src/audit-file.ts'
import { logFiles } from '../src/log-files.ts'
import { createNoteSigner, createNoteVerifier } from '../src/signed-note.ts'
import { type CheckpointFile, type LogReport, verifyLog } from '../src/verify-log.ts'

const NAME = 'agents.example.com/audit/7f3c'

/** A private key in PEM. */
export function newKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
}

/** A folder for one log, with its key. It is removed after the test. */
export function sealedLog(pem = newKey()) {
  const folder = mkdtempSync(join(tmpdir(), 'sealed-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const signer = createNoteSigner(NAME, pem)
  const verifier = createNoteVerifier(signer.verifierKey)
  const file = join(folder, 'audit.jsonl')
  const { checkpoints, head } = logFiles(file)
  const files = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => join(folder, name))
  const own = (): CheckpointFile[] =>
    [checkpoints, head]
      .filter((name) => existsSync(name))
      .map((name) => ({ file: name, content: readFileSync(name, 'utf8') }))
  const verifyAt = (now: Date, ...anchors: readonly CheckpointFile[]): Promise<LogReport> =>
    verifyLog({ files: files(), verifier, checkpoints: [...own(), ...anchors], now })
  return {
    folder,
    file,
    checkpoints,
    head,
    pem,
    signer,
    verifier,
    files,
    open: (options: Partial<AuditFileOptions> = {}) => new AuditFile({ file, seal: signer, ...options }),
    lines: () => readFileSync(file, 'utf8').trimEnd().split('\n'),
    verifyAt,
    verify: (...anchors: readonly CheckpointFile[]) => verifyAt(new Date(), ...anchors),
  }
}

/** The text of a record. */
export function record(n: number): string {
  return JSON.stringify({
    event_type: 'agentic.request.received',
    request_id: `r-${n}`,
    attributes: { n: String(n) },
  })
}

/** Some records in a row. */
export function records(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, n) => record(from + n))
}
