import { join } from 'node:path'
import { Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { createLog, parseConfig } from '../../src/index.ts'
import { createPrimary, type Primary } from '../../src/workers/room.ts'
import { configText, type TestConfig } from '../harness/read-config.ts'

/** A primary in this process, with workers in their own. */
export interface TestPrimary {
  readonly primary: Primary
  readonly url: string
  readonly log: Record<string, unknown>[]
  /** What the workers wrote to stdout. */
  output(): string
  /** Changes what a reload reads. */
  rewrite(config: TestConfig): void
}

/** Makes a primary; it is killed with the test. */
export function makePrimary(config: TestConfig) {
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
  const primary = createPrimary({
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
  onTestFinished(primary.kill)
  const rewrite = (changed: TestConfig) => {
    state.text = configText(changed)
  }
  return { primary, log, rewrite, output: () => output.join('') }
}

/** Starts one. */
export async function startPrimary(config: TestConfig): Promise<TestPrimary> {
  const made = makePrimary(config)
  return { ...made, url: `http://127.0.0.1:${await made.primary.start()}` }
}
