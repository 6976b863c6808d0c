import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { fencedBlocks } from '../tools/markdown.ts'
import { commandsIn } from './documented-code.ts'
import { run } from './packed-packages.ts'

/** A project of `agentic init` with its packages and ports. */
export interface WrittenProject {
  readonly folder: string
  /** The folder with the packages of its package.json. */
  readonly installed: string
  /** Free ports instead of the usual ones. */
  readonly portBase: number
  readonly servicePort: number
}

/** Commands that run until the end, with their message when ready. */
const lasting = new Map([
  ['npm start', 'The service listens at'],
  ['npx agentic dev', 'prints another one'],
])

/** Runs the commands of a project's README; resolves with the output of those that end. */
export async function followReadme(project: WrittenProject): Promise<Map<string, string>> {
  movePorts(project)
  const readme = readFileSync(join(project.folder, 'README.md'), 'utf8')
  const blocks = fencedBlocks(readme).filter(({ info }) => info === 'sh')
  const printed = new Map<string, string>()
  for (const command of blocks.flatMap(({ text }) => commandsIn(text)))
    printed.set(command, await carryOut(command, project))
  return printed
}

async function carryOut(command: string, project: WrittenProject): Promise<string> {
  if (command === 'npm install') return install(project)
  const sign = lasting.get(command)
  if (sign !== undefined) return await startLasting(adapted(command, project), sign, project.folder)
  const ended = run('sh', ['-c', adapted(command, project)], project.folder)
  expect(ended.status, `${command}\n${ended.output}`).toBe(0)
  return ended.output
}

/** Replaces the usual ports, which may be in use on this machine. */
function movePorts({ folder, portBase, servicePort }: WrittenProject): void {
  for (const name of ['package.json', 'gateway.yaml', 'conformance.yaml', 'src/main.ts']) {
    const file = join(folder, name)
    const text = readFileSync(file, 'utf8')
    const moved = text.replaceAll('8080', String(portBase)).replaceAll('8081', String(servicePort))
    writeFileSync(file, moved)
  }
}

function adapted(command: string, { portBase }: WrittenProject): string {
  return command
    .replace(/^npx agentic dev$/, `npx agentic dev --memory --port-base ${portBase}`)
    .replace('npx agentic token', `npx agentic token --port-base ${portBase}`)
    .replace('npx agentic call', `npx agentic call --base-url http://127.0.0.1:${portBase}`)
}

/** Links the dependencies of the project in the required versions, like `npm install`. */
function install({ folder, installed }: WrittenProject): string {
  const { dependencies, devDependencies } = readManifest(folder)
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
    expect([name, readManifest(join(installed, name)).version]).toEqual([name, version])
  symlinkSync(installed, join(folder, 'node_modules'))
  return ''
}

function readManifest(folder: string) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

async function startLasting(command: string, sign: string, cwd: string): Promise<string> {
  const { npm_config_local_prefix: _, ...env } = process.env
  // Its own process group, as in a terminal: npm, its shell and the program end together.
  const child = spawn('sh', ['-c', command], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => endGroup(child))
  let output = ''
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      if (output.includes(sign)) resolve()
    })
  child.once('close', () => reject(new Error(`${command} ended:\n${output}`)))
  await ready
  return output
}

async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return
  const closed = once(child, 'close')
  process.kill(-child.pid, 'SIGTERM')
  await closed
}
