import type { GatewayConfig } from './config-schema.ts'

/** What is valid but unwise about a configuration. */
export const warningsOf = (config: GatewayConfig): readonly string[] =>
  config.plugins['token-validator'].mode === 'off'
    ? ['plugins.token-validator.mode is off: every request is accepted without a token']
    : []
