import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { AuditFile, type AuditFileOptions } from '../src/audit-log/audit-file.ts'
import { logFiles } from '../src/audit-log/recover.ts'
import { createNoteSigner, createNoteVerifier } from '../src/audit-log/signed-note.ts'
import { type CheckpointFile, type LogReport, verifyLog } from '../src/audit-log/verify-log.ts'

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
  const { checkpoints } = logFiles(file)
  const files = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => join(folder, name))
  const own = (): CheckpointFile[] =>
    existsSync(checkpoints) ? [{ file: checkpoints, content: readFileSync(checkpoints, 'utf8') }] : []
  return {
    folder,
    file,
    checkpoints,
    pem,
    signer,
    verifier,
    files,
    open: (options: Partial<AuditFileOptions> = {}) => new AuditFile({ file, seal: signer, ...options }),
    lines: () => readFileSync(file, 'utf8').trimEnd().split('\n'),
    verify: (...anchors: readonly CheckpointFile[]): Promise<LogReport> =>
      verifyLog({
        files: files(),
        verifier,
        checkpoints: [...own(), ...anchors],
      }),
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
