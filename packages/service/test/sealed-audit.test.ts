import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNoteSigner, createNoteVerifier, verifyLog } from '@agentic-rest/audit-log'
import { startService } from '@agentic-rest/testing/start-service'
import { expect, it, onTestFinished } from 'vitest'
import { defineOperation, jsonLinesAudit, success } from '../src/index.ts'
import { ask } from './harness/ask.ts'

const NAME = 'agents.example.com/campaigns'

function keyFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'sealed-audit-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const keyFile = join(folder, 'key.pem')
  writeFileSync(keyFile, pem)
  return { folder, keyFile, pem, file: join(folder, 'audit.jsonl') }
}

const operation = defineOperation({ id: 'read', method: 'GET', path: '/items', run: () => success({}) })

it('seals the records of a service, which verify after its end', async () => {
  const { folder, file, keyFile, pem } = keyFolder()
  const audit = jsonLinesAudit(file, { seal: { keyFile, name: NAME } })
  const { url } = await startService({ operations: [operation], audit })
  for (let n = 0; n < 3; n += 1) expect((await ask(`${url}/items`, {})).status).toBe(200)
  await audit.close()
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).event_type)).toEqual([
    'agentic.audit.opened',
    ...Array.from({ length: 3 }, () => 'agentic.response.written'),
  ])
  const checkpoints = join(folder, 'audit.checkpoints')
  const report = await verifyLog({
    files: [file],
    verifier: createNoteVerifier(createNoteSigner(NAME, pem).verifierKey),
    checkpoints: [{ file: checkpoints, content: readFileSync(checkpoints, 'utf8') }],
  })
  expect(report).toMatchObject({ faults: [], size: 4, sealedSize: 4 })
})

const event = {
  event_type: 'e',
  tenant_id: '',
  actor_id: '',
  request_id: 'r',
  correlation_id: 'c',
  operation: '',
  resource_id: '',
  outcome: 'success',
  timestamp: '2026-01-01T00:00:00.000Z',
  attributes: {},
}

it('writes plain lines to a file without a seal', async () => {
  const { file } = keyFolder()
  const audit = jsonLinesAudit(file)
  await Promise.all([audit.emit(event), audit.emit(event)])
  await audit.close()
  expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(event)}\n`.repeat(2))
})

it('rejects every record without its key', async () => {
  const { folder, file } = keyFolder()
  const audit = jsonLinesAudit(file, { seal: { keyFile: join(folder, 'none.pem'), name: NAME } })
  await expect(audit.emit(event)).rejects.toThrow('ENOENT')
  await audit.close()
})
