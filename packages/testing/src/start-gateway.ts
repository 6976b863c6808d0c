import { Writable } from 'node:stream'
import { createGateway, createLog, type Gateway, type GatewayOptions } from '@agentic-rest/gateway'
import { onTestFinished } from 'vitest'
import type { TestConfig } from './config-text.ts'
import { readConfig } from './read-config.ts'

/** A running gateway, with everything it wrote. */
export interface TestGateway {
  readonly gateway: Gateway
  readonly port: number
  readonly url: string
  /** Audit lines, parsed. */
  readonly audit: Record<string, unknown>[]
  /** Log lines, parsed. */
  readonly log: Record<string, unknown>[]
  metrics(): Promise<string>
}

/** Starts a gateway on a free port with the closed-network mode unless a test configures tokens; ends it with the test. */
export async function startGateway(
  config: TestConfig,
  more: Partial<GatewayOptions> = {},
): Promise<TestGateway> {
  const audit: Record<string, unknown>[] = []
  const log: Record<string, unknown>[] = []
  const gateway = createGateway({
    config: readConfig(config),
    baseFolder: import.meta.dirname,
    version: '0.0.0-test',
    stdout: lineSink(audit),
    log: createLog({ level: 'debug', pretty: false, write: (line) => log.push(JSON.parse(line)) }),
    ...more,
  })
  const port = await gateway.start()
  onTestFinished(() => gateway.close())
  const url = `http://127.0.0.1:${port}`
  return {
    gateway,
    port,
    url,
    audit,
    log,
    metrics: async () => (await fetch(`${url}/metrics`)).text(),
  }
}

function lineSink(lines: Record<string, unknown>[]): Writable {
  let rest = ''
  return new Writable({
    write(chunk, _encoding, done) {
      const parts = (rest + String(chunk)).split('\n')
      rest = parts.pop() ?? ''
      for (const part of parts) lines.push(JSON.parse(part))
      done()
    },
  })
}
