import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@agentic-rest/testing/eventually'
import { freePort } from '@agentic-rest/testing/free-port'
import { onTestFinished } from 'vitest'

/** A series in an answer of Prometheus. */
export interface PromSeries {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [time: number, value: string]
}

/** A running Prometheus. */
export interface PrometheusServer {
  /** The result of an expression; rejects with the message of Prometheus if it does not parse. */
  query(expression: string): Promise<readonly PromSeries[]>
  /** The labels of all series of a matcher. */
  series(matcher: string): Promise<readonly PromSeries['metric'][]>
}

/** The set-up of a Prometheus. */
export interface PrometheusOptions {
  /** The path of the program. */
  readonly program: string
  /** The file with rules. */
  readonly rules: string
  /** The address of each job. */
  readonly targets: Readonly<Record<string, string>>
}

/** Starts a Prometheus that scrapes every second; it ends with the test. */
export async function startPrometheus(options: PrometheusOptions): Promise<PrometheusServer> {
  const { program, rules, targets } = options
  const folder = mkdtempSync(join(tmpdir(), 'agentic-prometheus-'))
  const config = join(folder, 'prometheus.json')
  const scrapes = Object.entries(targets).map(([job_name, address]) => ({
    job_name,
    static_configs: [{ targets: [address] }],
  }))
  const global = { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' }
  writeFileSync(config, JSON.stringify({ global, rule_files: [rules], scrape_configs: scrapes }))
  const address = `127.0.0.1:${await freePort()}`
  const child = spawn(
    program,
    [`--config.file=${config}`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=${address}`],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const closed = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await closed
    rmSync(folder, { recursive: true, force: true })
  })
  const ask = async (path: string, parameters: Record<string, string>) => {
    const response = await fetch(`http://${address}/api/v1/${path}?${new URLSearchParams(parameters)}`)
    const { status, data, error } = (await response.json()) as {
      status: string
      data: unknown
      error?: string
    }
    if (status !== 'success') throw new Error(error)
    return data
  }
  await Promise.race([
    ready(`http://${address}/-/ready`),
    closed.then(() => Promise.reject(new Error(`prometheus ended:\n${log}`))),
  ])
  return {
    async query(query) {
      return ((await ask('query', { query })) as { result: readonly PromSeries[] }).result
    },
    async series(matcher) {
      return (await ask('series', { 'match[]': matcher })) as readonly PromSeries['metric'][]
    },
  }
}

async function ready(url: string): Promise<void> {
  const isReady = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
  await eventually(isReady, (ok) => ok)
}
