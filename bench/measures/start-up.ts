import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '@agentic-rest/testing/free-port'
import { isMap, isSeq, parseDocument } from 'yaml'
import { makeIdentityKey } from '../../examples/stack/src/identity-key.ts'
import { installTogether, packAll } from '../../tools/packed-packages.ts'
import type { BenchContext } from '../bench-context.ts'
import { residentKilobytes } from '../cpu-time.ts'
import { cores } from '../pinned-process.ts'
import { type Spread, spreadOf } from '../statistics.ts'

/** The time of `agentic start` to its first answer, and its memory without load. */
export interface StartUpResult {
  readonly firstAnswerMs: Spread
  readonly idleMegabytes: Spread
}

const root = join(import.meta.dirname, '../..')
const IDLE_MS = 2000
const POLL_MS = 2
const TIMEOUT_MS = 20_000

/** Packs and installs the packages as published: the checkout runs TypeScript, which takes extra time. */
export async function installProgram({ folder, tell }: BenchContext): Promise<string> {
  tell('packing and installing the packages')
  const packed = await packAll(join(folder, 'packed'))
  const installed = join(folder, 'installed')
  const { status, output } = installTogether(installed, packed)
  if (status !== 0) throw new Error(`the packages could not be installed:\n${output}`)
  return join(installed, 'node_modules/agentic-rest/bin/agentic.cjs')
}

/** The program of the checkout. */
export const checkoutProgram = join(root, 'packages/cli/bin/agentic.cjs')

/** Writes the reference configuration without its tools: MCP is loaded only by a file that has it. */
function writeReference(folder: string): string {
  const document = parseDocument(readFileSync(join(root, 'examples/stack/gateway.yaml'), 'utf8'))
  document.delete('mcp')
  const routes = document.get('routes')
  if (isSeq(routes)) for (const route of routes.items) if (isMap(route)) route.delete('mcp')
  const file = join(folder, 'reference-gateway.yaml')
  writeFileSync(file, String(document))
  return file
}

/** Starts the gateway with the reference configuration, several times. */
export async function measureStartUp(context: BenchContext, program: string): Promise<StartUpResult> {
  const runs: { firstAnswerMs: number; idleMegabytes: number }[] = []
  const keyFile = join(context.folder, 'identity-key.pem')
  makeIdentityKey(keyFile)
  const file = writeReference(context.folder)
  // The first start reads the files from the disk.
  for (let run = 0; run <= context.rounds; run += 1) {
    context.tell(`start ${run} of ${context.rounds}`)
    runs.push(await startOnce({ program, keyFile, file }))
  }
  const counted = runs.slice(1)
  return {
    firstAnswerMs: spreadOf(counted.map(({ firstAnswerMs }) => firstAnswerMs)),
    idleMegabytes: spreadOf(counted.map(({ idleMegabytes }) => idleMegabytes)),
  }
}

interface Start {
  readonly program: string
  readonly keyFile: string
  readonly file: string
}

async function startOnce({ program, keyFile, file }: Start) {
  const [port, admin] = [await freePort(), await freePort()]
  const startedAt = performance.now()
  const command = ['-c', String(cores.measured), process.execPath, program, 'start', '-c', file]
  const ports = { PORT: String(port), CONSOLE_PORT: String(admin) }
  const env = { ...process.env, ...ports, IDENTITY_KEY_FILE: keyFile }
  const child = spawn('taskset', command, { env, stdio: 'ignore' })
  try {
    while (!(await answers(port))) {
      if (child.exitCode !== null || performance.now() - startedAt > TIMEOUT_MS)
        throw new Error('agentic start gave no answer')
      await wait(POLL_MS)
    }
    const firstAnswerMs = performance.now() - startedAt
    await wait(IDLE_MS)
    return { firstAnswerMs, idleMegabytes: residentKilobytes(child.pid ?? 0) / 1024 }
  } finally {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path: '/healthz', agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    asked.once('error', () => resolve(false))
    asked.end()
  })
}
