import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AuditFile, createNoteSigner } from '@agentic-rest/audit-log'

// Measures the CPU time that a seal adds to an audit record: two hashes of the line, the tree and the checkpoints.
// `node --conditions=agentic-source bench/seal-cost.ts`

const ROUNDS = 7
const BATCHES = 100
const BATCH = 512

const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })
const seal = createNoteSigner('agents.example.com/audit/7f3c', pem)
const record = JSON.stringify({
  event_type: 'agentic.request.received',
  tenant_id: 'acme',
  actor_id: 'alice',
  request_id: '4bf92f35-77b3-4da6-a3ce-929d0e0e4736',
  correlation_id: '0196d3a2-77b3-4da6-a3ce-929d0e0e4736',
  operation: 'create-optimization',
  resource_id: 'o-1',
  outcome: 'success',
  timestamp: '2026-01-01T00:00:00.000Z',
  attributes: {
    outcome_type: 'created',
    issuer: 'https://id.example.test',
    token_sub: 'alice',
    region: 'eu',
  },
})
const records = Array.from({ length: BATCH }, () => record)

async function microseconds(sealed: boolean): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'seal-cost-'))
  const log = new AuditFile({ file: join(folder, 'audit.jsonl'), seal: sealed ? seal : undefined })
  await log.append({ records })
  // The thread that also serves requests; the disk is written by others.
  const start = process.threadCpuUsage()
  for (let batch = 0; batch < BATCHES; batch += 1) await log.append({ records })
  const { user, system } = process.threadCpuUsage(start)
  await log.close()
  rmSync(folder, { recursive: true })
  return (user + system) / (BATCHES * BATCH)
}

const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0

const rounds: { readonly plain: number; readonly sealed: number }[] = []
for (let round = 0; round < ROUNDS; round += 1)
  rounds.push({ plain: await microseconds(false), sealed: await microseconds(true) })
const plain = median(rounds.map((round) => round.plain))
const sealed = median(rounds.map((round) => round.sealed))
const added = median(rounds.map((round) => round.sealed - round.plain))
process.stdout.write(
  `${record.length} bytes: plain ${plain.toFixed(2)} µs a record, sealed ${sealed.toFixed(2)} µs, ${added.toFixed(2)} µs more (medians of ${ROUNDS} rounds)\n`,
)
