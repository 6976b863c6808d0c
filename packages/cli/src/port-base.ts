import { DEFAULT_PORT_BASE, urlOf } from '@agentic-rest/stack'

/** The address of the gateway that `agentic dev` starts. */
export const DEFAULT_GATEWAY = urlOf('gateway', DEFAULT_PORT_BASE)

/** The option `--port-base`, shared by the commands for the stack. */
export const portBaseOption = {
  type: 'string',
  value: 'N',
  default: String(DEFAULT_PORT_BASE),
  description: `The port of the gateway, ${DEFAULT_PORT_BASE} by default; all other ports keep their offset from it.`,
} as const
