import { MAX_PORT_BASE } from './parts.ts'

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
