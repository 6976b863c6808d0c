import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNoteSigner, createNoteVerifier, verifyLog } from '@agentic-rest/audit-log'
import { onTestFinished } from 'vitest'

const NAME = 'agents.example.com/audit/7f3c'

/** A folder with a key for a sealed log. It is removed after the test. */
export function sealFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'seal-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const textFile = (text: string) => {
    const file = join(folder, 'key.pem')
    writeFileSync(file, text, { mode: 0o600 })
    return file
  }
  const file = join(folder, 'audit.jsonl')
  const checkpoints = join(folder, 'audit.checkpoints')
  const head = join(folder, 'audit.head')
  const section = { exporter: 'file', file, seal: { key_file: textFile(pem), name: NAME } }
  const { verifierKey } = createNoteSigner(NAME, pem)
  const verifier = createNoteVerifier(verifierKey)
  const verify = () =>
    verifyLog({
      files: [file],
      verifier,
      checkpoints: [{ file: checkpoints, content: readFileSync(checkpoints, 'utf8') }],
    })
  return { folder, file, checkpoints, head, section, verifierKey, textFile, verify }
}

/** The lines of a file, parsed. */
export function linesOf(file: string): Record<string, unknown>[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}
