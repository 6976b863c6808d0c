import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, onTestFinished, test } from 'vitest'
import { agentic, folderWith } from '../../packages/cli/test/harness/run-agentic.ts'
import { ask, childrenOf, createClient, workersConfig } from './start-workers.ts'

const CLIENTS = 4
const REQUESTS = 25

test('workers write their records to a file themselves, in whole lines', async () => {
  const { url: target } = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const plugins = { 'otel-audit': { exporter: 'stdout' } }
  const folder = folderWith({ 'gateway.yaml': workersConfig({ target, plugins }) })
  const file = join(folder, 'records.jsonl')
  const child = spawn(process.execPath, [agentic, 'start', '-c', 'gateway.yaml'], {
    cwd: folder,
    stdio: ['ignore', openSync(file, 'w'), 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const { stderr } = child
  if (stderr === null) throw new Error('the log is no pipe')
  for await (const line of createInterface(stderr)) {
    const { port } = JSON.parse(line)
    if (port === undefined) continue
    const workers = childrenOf(child.pid ?? 0)
    expect(workers.map((pid) => readlinkSync(`/proc/${pid}/fd/1`))).toEqual([file, file])
    const clients = Array.from({ length: CLIENTS }, () => createClient())
    // A record of 5,000 bytes is longer than a write to a pipe that is not divided.
    const item = 'x'.repeat(5000)
    for (let count = 0; count < REQUESTS; count += 1)
      await Promise.all(clients.map((client) => ask(`http://127.0.0.1:${port}/items/${item}`, client)))
    child.kill('SIGTERM')
  }
  expect(await exited).toEqual([0, null])
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(lines).toHaveLength(CLIENTS * REQUESTS)
  expect(new Set(lines.map((line) => JSON.parse(line).msg))).toEqual(new Set(['agentic.request']))
})
