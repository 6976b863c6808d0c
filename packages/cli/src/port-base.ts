import { DEFAULT_PORT_BASE, MAX_PORT_BASE } from '@agentic-rest/stack'

/** Where the stack is, for every command that has to do with it. */
export const portBaseOption = {
  type: 'string',
  value: 'N',
  default: String(DEFAULT_PORT_BASE),
  description: `The port of the gateway, ${DEFAULT_PORT_BASE} by default; all other ports keep their distance from it.`,
} as const

/** A port base, or what is wrong with it. */
export type PortBase =
  | { readonly ok: true; readonly value: number }
  | { readonly ok: false; readonly fault: string }

/** Judges the value of `--port-base`. */
export function readPortBase(text: string): PortBase {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= MAX_PORT_BASE) return { ok: true, value }
  return {
    ok: false,
    fault: `--port-base is a number from 1 to ${MAX_PORT_BASE}, not ${JSON.stringify(text)}`,
  }
}
