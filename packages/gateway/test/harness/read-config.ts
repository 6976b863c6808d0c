import { formatFaults, type GatewayConfig, parseConfig } from '../../src/index.ts'

/** A configuration as plain data; YAML is a superset of JSON, so it passes through the real parser. */
export interface TestConfig {
  readonly gateway?: Record<string, unknown>
  readonly plugins?: Record<string, unknown>
  readonly routes: readonly Record<string, unknown>[]
}

/** The configuration of a test, on a free port and in closed-network mode unless it says otherwise. */
export function readConfig({ gateway = {}, plugins = {}, routes }: TestConfig): GatewayConfig {
  const text = JSON.stringify({
    gateway: { port: 0, ...gateway },
    plugins: { 'token-validator': { mode: 'off' }, ...plugins },
    routes,
  })
  const result = parseConfig(text, { file: 'test.yaml', env: {} })
  if (!result.ok) throw new Error(formatFaults(result.faults))
  return result.config
}
