import { DEFAULT_PORT_BASE } from '@agentic-rest/stack'

/** Where the stack is, for every command that has to do with it. */
export const portBaseOption = {
  type: 'string',
  value: 'N',
  default: String(DEFAULT_PORT_BASE),
  description: `The port of the gateway, ${DEFAULT_PORT_BASE} by default; all other ports keep their distance from it.`,
} as const
