import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect } from 'vitest'
import { fencedBlocks } from '../tools/markdown.ts'
import { repositoryRoot } from '../tools/packed-packages.ts'
import { runInTerminal } from './cli/on-terminal.ts'
import { commandsIn } from './documented-code.ts'
import { runCommand, startCommand } from './init-project.ts'

/** The folder, ports and environment in which the tutorial is followed. */
export interface TutorialRun {
  /** An empty folder; the project is written into it. */
  readonly work: string
  readonly portBase: number
  readonly env: NodeJS.ProcessEnv
}

/** The result of a followed tutorial. */
export interface FollowedTutorial {
  readonly project: string
  /** Seconds of each command. */
  readonly seconds: ReadonlyMap<string, number>
  /** Lines of code of the service that the page has, without blank lines and comments. */
  readonly linesOfCode: number
}

type Step =
  | { readonly type: 'commands'; readonly commands: readonly string[] }
  | { readonly type: 'file'; readonly path: string; readonly text: string }
  | { readonly type: 'output'; readonly text: string }

function readSteps(): Step[] {
  const page = readFileSync(join(repositoryRoot, 'docs/tutorial.md'), 'utf8')
  return fencedBlocks(page).map(({ info, text, line }): Step => {
    const [, path] = /^(?:ts|yaml) (\S+)$/.exec(info) ?? []
    if (path !== undefined) return { type: 'file', path, text: `${text}\n` }
    if (info === 'sh') return { type: 'commands', commands: commandsIn(text) }
    if (info === 'text output') return { type: 'output', text }
    return expect.fail(`docs/tutorial.md:${line}: a block is sh, text output, or a file with its path`)
  })
}

/** Follows docs/tutorial.md from its first command to its last. */
export async function followTutorial(run: TutorialRun): Promise<FollowedTutorial> {
  const reader = new Reader(run)
  for (const step of readSteps()) await reader.take(step)
  return reader.end()
}

const PROJECT = '../travel-agent'

/** Somebody at several terminals. */
class Reader {
  readonly #run: TutorialRun
  readonly #seconds = new Map<string, number>()
  #folder = repositoryRoot
  #printed = ''
  #linesOfCode = 0
  /** The command that waits for an approval. */
  #waiting: { readonly approval: string; readonly ended: Promise<string> } | undefined

  constructor(run: TutorialRun) {
    this.#run = run
  }

  async take(step: Step): Promise<void> {
    switch (step.type) {
      case 'file':
        return this.#write(step.path, step.text)
      case 'output':
        return expect(this.#printed).toMatch(patternOf(step.text))
      case 'commands':
        this.#printed = ''
        for (const command of step.commands) await this.#timed(command)
    }
  }

  end(): FollowedTutorial {
    return { project: this.#folder, seconds: this.#seconds, linesOfCode: this.#linesOfCode }
  }

  #write(path: string, text: string): void {
    writeFileSync(join(this.#folder, path), this.#moved(text))
    if (path.startsWith('src/')) this.#linesOfCode += text.split('\n').filter(isCode).length
  }

  async #timed(command: string): Promise<void> {
    const startedAt = performance.now()
    const printed = await this.#carryOut(command)
    this.#printed += asText(printed)
    this.#seconds.set(command, (performance.now() - startedAt) / 1000)
  }

  async #carryOut(command: string): Promise<string> {
    const line = this.#moved(command).replace(PROJECT, join(this.#run.work, 'travel-agent'))
    const place = { folder: this.#folder, env: this.#run.env }
    if (line.startsWith('cd ')) {
      this.#folder = line.slice('cd '.length)
      return ''
    }
    if (command === 'npm start') return await startCommand(line, 'prints another one', place).ready
    if (command.includes('{"city":"oslo"}')) return await this.#answer(line)
    if (command.includes('"tokyo"')) return await this.#wait(line)
    if (command.includes('/approvals/ID/')) return await this.#approve(line)
    const printed = await runCommand(line, place)
    if (command.startsWith('npx agentic routes add')) await this.#untilRouted()
    return printed
  }

  /** At a terminal the question is asked. */
  async #answer(line: string): Promise<string> {
    const env = { ...this.#run.env, TERM: 'xterm' }
    const { code, screen } = await runInTerminal(line, [['nights> ', '3\r']], { cwd: this.#folder, env })
    expect(code, screen).toBe(0)
    return screen
  }

  async #wait(line: string): Promise<string> {
    const place = { folder: this.#folder, env: this.#run.env }
    const { ready, ended } = startCommand(line, 'Waiting for the decision', place)
    const printed = await ready
    const [, approval = ''] = /\/approvals\/([\w-]+)/.exec(printed) ?? []
    // `ready` is settled; its rejection at the end has no listener otherwise.
    ready.catch(() => undefined)
    this.#waiting = { approval, ended }
    return printed
  }

  async #approve(line: string): Promise<string> {
    const { approval, ended } = this.#waiting ?? expect.fail('no command waits for an approval')
    const place = { folder: this.#folder, env: this.#run.env }
    const printed = await runCommand(line.replace('/ID/', `/${approval}/`), place)
    expect(await ended).toMatch(/^201 created (?:.*\n)*.*"approvedBy": "dana"/m)
    return printed
  }

  /** The gateway watches its file and reloads it a moment later. */
  async #untilRouted(): Promise<void> {
    const admin = `http://127.0.0.1:${this.#run.portBase + 10}/api/routes`
    const count = async () => ((await (await fetch(admin)).json()) as { routes: unknown[] }).routes.length
    await expect.poll(count).toBe(10)
  }

  /** The page has the usual ports, which another program may use on this machine. */
  #moved(text: string): string {
    const { portBase } = this.#run
    return text
      .replaceAll(
        /127\.0\.0\.1:(80\d\d)/g,
        (_, port: string) => `127.0.0.1:${portBase + Number(port) - 8080}`,
      )
      .replace(/^npm (start|run conformance)$/, `$& -- --port-base ${portBase}`)
      .replaceAll('npx agentic token', `npx agentic token --port-base ${portBase}`)
      .replace('npx agentic call', `npx agentic call --base-url http://127.0.0.1:${portBase}`)
  }
}

/** An output without colours and without the spinner of npm. */
function asText(printed: string): string {
  return stripVTControlCharacters(printed)
    .replaceAll('\r', '')
    .replaceAll(/[\u2800-\u28ff]/g, '')
}

function isCode(line: string): boolean {
  return line.trim() !== '' && !/^\s*(?:\/\/|\/\*\*|\*)/.test(line)
}

/** The end of an output as a pattern: `…` is any text, also of several lines. */
function patternOf(text: string): RegExp {
  const parts = text.trim().split('…')
  const escaped = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`(?:^|\\n)${escaped.join('[^]*')}\\s*$`)
}
