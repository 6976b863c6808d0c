import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@agentic-rest/testing/free-port'
import { afterAll, expect, test } from 'vitest'
import { createAsker } from './harness/start-campaigns.ts'

const folder = mkdtempSync(join(tmpdir(), 'campaigns-'))
const processes: ChildProcess[] = []
afterAll(() => {
  for (const each of processes) each.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** Starts the part as the stack does; resolves when it is healthy. */
async function start(port: number): Promise<ChildProcess> {
  const main = join(import.meta.dirname, '../src/main.ts')
  const child = spawn(process.execPath, ['--conditions=agentic-source', '--liftoff-only', main], {
    env: { ...process.env, PORT: String(port), DATA_FOLDER: folder },
    stdio: 'inherit',
  })
  processes.push(child)
  const isHealthy = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await expect.poll(isHealthy, { interval: 50 }).toBe(true)
  return child
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> {
  const ended = once(child, 'exit')
  child.kill(signal)
  return (await ended)[0]
}

test('after kill -9 a run goes on, nothing acknowledged is lost, and nothing is done twice', async () => {
  const port = await freePort()
  const { optimize, get, post, statusWhen } = createAsker(`http://127.0.0.1:${port}`)
  const first = await start(port)
  const headers = { 'idempotency-key': 'key-1' }
  const made = await optimize('cmp-123', 'ctr', { headers })
  const campaign = await post('/campaigns', { json: { name: 'Kept' } })
  const operation = await optimize('cmp-123', 'cpl', { headers: { prefer: 'respond-async' } })
  const { progress } = await statusWhen(operation, (status) => (status.progress?.step ?? 0) >= 2)
  // Killed before or at the start of the run.
  const justAccepted = await optimize('cmp-123', 'reach', { headers: { prefer: 'respond-async' } })
  await end(first, 'SIGKILL')

  const second = await start(port)
  for (const goal of ['cpl', 'reach']) expect((await optimize('cmp-123', goal)).status).toBe(409)
  expect((await optimize('cmp-123', 'ctr', { headers })).body).toEqual(made.body)
  expect((await get(`/campaigns/${campaign.body['id']}`)).body).toEqual(campaign.body)
  const ended = await statusWhen(operation, ({ status }) => status !== 'working')
  expect(ended).toMatchObject({
    status: 'completed',
    outcome: 'created',
    result: { id: progress?.optimizationId, status: 'completed' },
  })
  const { result } = await statusWhen(justAccepted, ({ status }) => status !== 'working')
  expect(result).toMatchObject({ goal: 'reach', status: 'completed' })
  const { items } = (await get('/campaigns/cmp-123/optimizations')).body
  expect(items).toMatchObject([
    { goal: 'reach', status: 'completed' },
    { goal: 'cpl', status: 'completed' },
    { goal: 'ctr', status: 'completed' },
  ])
  expect(await end(second, 'SIGTERM')).toBe(0)
})
