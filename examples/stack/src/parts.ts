/** One process of the stack. */
export interface PartRow {
  readonly name: string
  /** The offset of its port from that of the gateway. */
  readonly distance: number
  /** The description in the printed list. */
  readonly purpose: string
  /** An example with a `src/main.ts`, a gateway with its configuration, a program of the stack or one of the user. */
  readonly runs:
    | { readonly example: string }
    | { readonly gateway: string }
    | { readonly own: string }
    | { readonly program: string }
  /** Whether it has a database. */
  readonly stores?: boolean
  /** Whether it calls other agents, with a service account. */
  readonly calls?: boolean
  /** The gateway in front of it, whose signed identities alone it believes. */
  readonly behind?: 'gateway' | 'inventory-gateway'
  /** Whether it signs identities, with a key of its own. */
  readonly signs?: boolean
  /** Whether it needs all service accounts. */
  readonly issuesTokens?: boolean
  /** Whether it serves the console. */
  readonly servesConsole?: boolean
}

/** Every part, in the order of the printed list. Parts without an entry file are skipped. */
export const parts = [
  {
    name: 'gateway',
    distance: 0,
    purpose: 'the gateway for clients',
    runs: { gateway: 'gateway.yaml' },
    signs: true,
    servesConsole: true,
  },
  {
    name: 'campaigns',
    distance: 1,
    purpose: 'campaign optimizations: all ten outcomes',
    runs: { example: 'campaigns' },
    behind: 'gateway',
    stores: true,
  },
  {
    name: 'recommendations',
    distance: 2,
    purpose: 'agent A, which asks agent B',
    runs: { example: 'recommendations' },
    behind: 'gateway',
    stores: true,
    calls: true,
  },
  {
    name: 'inventory',
    distance: 3,
    purpose: 'agent B',
    runs: { example: 'inventory' },
    behind: 'inventory-gateway',
    stores: true,
  },
  {
    name: 'inventory-gateway',
    distance: 100,
    purpose: 'the gateway in front of agent B',
    runs: { gateway: 'inventory-gateway.yaml' },
    signs: true,
  },
  {
    name: 'llm',
    distance: 4,
    purpose: 'text completions, as a stream or as JSON',
    runs: { example: 'llm' },
    behind: 'gateway',
  },
  {
    name: 'identity',
    distance: 5,
    purpose: 'tokens for people and for agents',
    runs: { example: 'identity' },
    issuesTokens: true,
  },
  {
    name: 'probe',
    distance: 6,
    purpose: 'echoes and faults for the conformance scenario',
    runs: { own: 'probe-part' },
    behind: 'gateway',
  },
] as const satisfies readonly PartRow[]

/** Ports without a process: the first gateway serves the console. */
const reserved = [{ name: 'console', distance: 10 }] as const

/** The name of a part or of another port of the stack. */
export type PartName = (typeof parts)[number]['name'] | (typeof reserved)[number]['name']

/** The default port of the gateway. All other ports have a fixed offset from it. */
export const DEFAULT_PORT_BASE = 8080

/** The largest port base with valid ports for all offsets. */
export const MAX_PORT_BASE = 65_535 - Math.max(...[...parts, ...reserved].map(({ distance }) => distance))

/** The port of a part. */
export function portOf(name: PartName, portBase: number): number {
  const row = [...parts, ...reserved].find((each) => each.name === name)
  return portBase + (row?.distance ?? 0)
}

/** The address of a part, on this machine. */
export function urlOf(name: PartName, portBase: number): string {
  return `http://127.0.0.1:${portOf(name, portBase)}`
}

/** Every port of a stack, by name. */
export function allPorts(portBase: number): { readonly name: string; readonly port: number }[] {
  return [...parts, ...reserved].map(({ name, distance }) => ({ name, port: portBase + distance }))
}

/** The addresses of all parts as variables, such as `INVENTORY_GATEWAY_URL`. */
export function urlVariables(portBase: number): Record<string, string> {
  const names = [...parts, ...reserved].map(({ name }) => name)
  return Object.fromEntries(names.map((name) => [variableName(name), urlOf(name, portBase)]))
}

function variableName(name: string): string {
  return `${name.toUpperCase().replaceAll('-', '_')}_URL`
}

/** A port base, or a fault. */
export type PortBase =
  | { readonly ok: true; readonly value: number }
  | { readonly ok: false; readonly fault: string }

/** Checks the value of `--port-base`. */
export function readPortBase(text: string): PortBase {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= MAX_PORT_BASE) return { ok: true, value }
  return {
    ok: false,
    fault: `--port-base is a number from 1 to ${MAX_PORT_BASE}, not ${JSON.stringify(text)}`,
  }
}
