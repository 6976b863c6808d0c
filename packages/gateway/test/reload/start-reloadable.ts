import { configText, type TestConfig } from '@agentic-rest/testing/config-text'
import { startGateway, type TestGateway } from '@agentic-rest/testing/start-gateway'
import { type ConfigResult, type GatewayOptions, parseConfig, type ReloadResult } from '../../src/index.ts'

/** A gateway whose file a test can change. */
export interface Reloadable extends TestGateway {
  /** Changes the file, without a reload. */
  write(config: TestConfig | string): void
  /** Changes the file and reloads it. */
  reloadTo(config: TestConfig | string): Promise<ReloadResult>
  /** What the file was read as, one for each time. */
  readonly reads: ConfigResult[]
}

const file = 'gateway.yaml'

/** Starts one with a first configuration; it ends with the test. */
export async function startReloadable(
  first: TestConfig,
  more: Partial<GatewayOptions> = {},
): Promise<Reloadable> {
  let text = configText(first)
  const reads: ConfigResult[] = []
  const read = () => {
    const result = parseConfig(text, { file, env: {} })
    reads.push(result)
    return result
  }
  const started = await startGateway(first, { source: { file, read }, ...more })
  const write = (config: TestConfig | string) => {
    text = typeof config === 'string' ? config : configText(config)
  }
  const reloadTo = (config: TestConfig | string) => {
    write(config)
    return started.gateway.reload()
  }
  return { ...started, reads, write, reloadTo }
}

/** What a reload that went well says. */
export const applied = { result: 'applied', faults: [] }

/** One route, to an upstream. */
export const itemRoute = (target: string) => ({ id: 'read-item', method: 'GET', path: '/items', target })
