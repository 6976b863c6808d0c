import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AuditFile,
  createNoteSigner,
  createNoteVerifier,
  formatProof,
  proveLines,
} from '@agentic-rest/audit-log'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect, onTestFinished } from 'vitest'
import { LeafTree, leafHash } from '../../packages/audit-log/src/merkle-tree.ts'

testWith('sealed-log-verifier', 'Go verifies a sealed log and its proofs', async (verifierProgram) => {
  const folder = mkdtempSync(join(tmpdir(), 'go-verifies-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })
  const seal = createNoteSigner('agents.example.com/audit/7f3c', pem)
  const [file, checkpoints] = [join(folder, 'audit.jsonl'), join(folder, 'audit.checkpoints')]
  const log = new AuditFile({ file, seal })
  for (const size of [700, 700, 37]) {
    const records = Array.from({ length: size }, (_, n) =>
      JSON.stringify({ request_id: `r-${size}-${n}`, text: 'ü—\u2028' }),
    )
    await log.append({ records })
    await log.checkpoint()
  }
  await log.close()
  const [proof, consistency] = [join(folder, 'proof'), join(folder, 'consistency')]
  const verifier = createNoteVerifier(seal.verifierKey)
  const notes = [{ file: checkpoints, content: readFileSync(checkpoints, 'utf8') }]
  const proven = await proveLines({ requestId: 'r-37-20', files: [file], verifier, checkpoints: notes })
  if (!proven.ok) throw new Error(proven.reason)
  writeFileSync(proof, proven.proofs.map(formatProof).join('\n'))
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  const tree = new LeafTree(lines.map((line) => leafHash(Buffer.from(line))))
  const steps = tree.consistencyProof(701, 1438).map((hash) => hash.toString('base64'))
  writeFileSync(consistency, `${['701', '1438', ...steps].join('\n')}\n`)
  const verify = () =>
    spawnSync(verifierProgram, [seal.verifierKey, file, checkpoints, proof, consistency], {
      encoding: 'utf8',
    })
  expect(verify()).toMatchObject({ status: 0, stdout: '3 checkpoints, line 1421\n' })
  writeFileSync(file, readFileSync(file, 'utf8').replace('r-700-3"', 'r-700-4"'))
  expect(verify()).toMatchObject({ status: 1, stderr: expect.stringContaining('has another root') })
})
