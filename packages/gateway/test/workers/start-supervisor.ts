import { join } from 'node:path'
import { Writable } from 'node:stream'
import { configText, type TestConfig } from '@agentic-rest/testing/config-text'
import { onTestFinished } from 'vitest'
import { createLog, parseConfig } from '../../src/index.ts'
import { Supervisor } from '../../src/workers/supervisor.ts'

/** A supervisor in this process, with workers in their own. */
export interface TestSupervisor {
  readonly supervisor: Supervisor
  readonly url: string
  readonly log: Record<string, unknown>[]
  /** What the workers wrote to stdout. */
  output(): string
  /** Changes what a reload reads. */
  rewrite(config: TestConfig): void
}

/** Makes a supervisor; its workers are killed with the test. */
export function makeSupervisor(config: TestConfig) {
  const state = { text: configText(config) }
  const file = 'gateway.yaml'
  const read = () => parseConfig(state.text, { file, env: {} })
  const loaded = read()
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults))
  const log: Record<string, unknown>[] = []
  const write = (lines: string) =>
    void log.push(
      ...lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    )
  const output: string[] = []
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      output.push(String(chunk))
      done()
    },
  })
  const supervisor = new Supervisor({
    loaded,
    source: { file, read },
    program: {
      file: join(import.meta.dirname, 'run-worker.ts'),
      args: [],
      env: {
        ...process.env,
        NODE_OPTIONS: '--conditions=agentic-source --disable-warning=ExperimentalWarning',
      },
    },
    log: createLog({ level: 'debug', pretty: false, write }),
    logging: { level: 'debug', pretty: false },
    stdout,
    writeLog: write,
    consoleFolder: undefined,
  })
  onTestFinished(() => supervisor.kill())
  const rewrite = (changed: TestConfig) => {
    state.text = configText(changed)
  }
  return { supervisor, log, rewrite, output: () => output.join('') }
}

/** Starts one. */
export async function startSupervisor(config: TestConfig): Promise<TestSupervisor> {
  const made = makeSupervisor(config)
  return { ...made, url: `http://127.0.0.1:${await made.supervisor.start()}` }
}
