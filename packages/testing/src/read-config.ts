import { formatFaults, type GatewayConfig, parseConfig } from '@agentic-rest/gateway'
import { configText, type TestConfig } from './config-text.ts'

/** The configuration of a test. */
export function readConfig(config: TestConfig): GatewayConfig {
  const result = parseConfig(configText(config), { file: 'test.yaml', env: {} })
  if (!result.ok) throw new Error(formatFaults(result.faults))
  return result.config
}
