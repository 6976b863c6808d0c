import { DEFAULT_PORT_BASE } from '@agentic-rest/stack'

/** The option `--port-base`, shared by the commands for the stack. */
export const portBaseOption = {
  type: 'string',
  value: 'N',
  default: String(DEFAULT_PORT_BASE),
  description: `The port of the gateway, ${DEFAULT_PORT_BASE} by default; all other ports keep their offset from it.`,
} as const
