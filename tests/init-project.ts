import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { fencedBlocks } from '../tools/markdown.ts'
import { commandsIn } from './documented-code.ts'

/** A project that `agentic init` wrote, and the environment of its commands. */
export interface WrittenProject {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** A free port base, in place of the usual one. */
  readonly portBase: number
}

/** A command that runs until its end, and its output when it is ready. */
const lasting = new Map([['npm start', 'prints another one']])

/** Runs the commands of a README one by one; resolves with the output of each. `info` is the language of the blocks. */
export async function followReadme(project: WrittenProject, info = 'sh'): Promise<Map<string, string>> {
  const readme = readFileSync(join(project.folder, 'README.md'), 'utf8')
  const blocks = fencedBlocks(readme).filter((block) => block.info === info)
  const printed = new Map<string, string>()
  for (const command of blocks.flatMap(({ text }) => commandsIn(text)))
    printed.set(command, await carryOut(command, project))
  return printed
}

async function carryOut(command: string, project: WrittenProject): Promise<string> {
  const sign = lasting.get(command)
  if (sign === undefined) return await runCommand(adapted(command, project), project)
  const { ready } = startCommand(adapted(command, project), sign, project)
  return await ready
}

/** A command of the README for the ports of this test: another program may use the usual ones on this machine. */
export function adapted(command: string, { portBase }: Pick<WrittenProject, 'portBase'>): string {
  return command
    .replace(/^npm start$/, `npm start -- --memory --port-base ${portBase}`)
    .replace(/^npm run conformance$/, `npm run conformance -- --port-base ${portBase}`)
    .replace('npx agentic token', `npx agentic token --port-base ${portBase}`)
    .replace('npx agentic call', `npx agentic call --base-url http://127.0.0.1:${portBase}`)
}

type Place = Pick<WrittenProject, 'folder' | 'env'>

/** Runs a command to its end, which has to be a success; resolves with its output. */
export async function runCommand(command: string, { folder, env }: Place): Promise<string> {
  const child = spawn('sh', ['-c', command], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = collect(child)
  const [code] = await once(child, 'close')
  expect(code, `${command}\n${output()}`).toBe(0)
  return output()
}

/** Starts a command; `ready` resolves with its output so far when a text is in it, `ended` with all of it. */
export function startCommand(command: string, sign: string, { folder, env }: Place) {
  // A group of its own, as in a terminal: npm, its shell and the program end together.
  const child = spawn('sh', ['-c', command], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  onTestFinished(() => endGroup(child, closed))
  const { promise: ready, resolve, reject } = Promise.withResolvers<string>()
  const output = collect(child, () => {
    if (output().includes(sign)) resolve(output())
  })
  const ended = closed.then(() => {
    reject(new Error(`${command} ended:\n${output()}`))
    return output()
  })
  return { ready, ended }
}

function collect({ stdout, stderr }: ChildProcess, onData = () => {}): () => string {
  let output = ''
  for (const stream of [stdout, stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      onData()
    })
  return () => output
}

async function endGroup(child: ChildProcess, closed: Promise<unknown>): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  process.kill(-child.pid, 'SIGTERM')
  await closed
}

// Node reads the certificates of the machine from NODE_EXTRA_CA_CERTS. Without it, npm cannot trust a proxy of the machine.
const OF_THE_TESTS = /^(?:npm_|NODE_(?!EXTRA_CA_CERTS$)|VITEST|INIT_CWD)/i

/** The environment of a stranger: the Node of the machine, an own npm cache, and nothing of the npm that runs the tests. */
export function strangersEnvironment(npmCache: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !OF_THE_TESTS.test(name))
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !/node_modules|node-gyp/.test(folder))
  return { ...Object.fromEntries(own), PATH: path.join(delimiter), npm_config_cache: npmCache }
}
