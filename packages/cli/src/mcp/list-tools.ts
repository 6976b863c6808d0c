import { formatFaults, InitialisationError, loadConfig, readTools } from '@agentic-rest/gateway'
import { membersOf, parseJson } from '@agentic-rest/profile'
import type { Host } from '../host.ts'
import { readVersion } from '../version.ts'
import type { Endpoint } from './endpoint.ts'

/** A tool as a gateway lists it. It is outside input. */
export type ListedTool = Readonly<Record<string, unknown>>

/** The tools of a file or a gateway. */
export interface Tools {
  readonly tools: readonly ListedTool[]
  /** The routes of a file that are no tools, and why. */
  readonly missing?: readonly { readonly route: string; readonly code: string; readonly message: string }[]
}

/** A fault of the listing. `invalid`: a retry does not help. */
export interface ListFault {
  readonly fault: string
  readonly invalid: boolean
}

/** The tools of a configuration file, by the documents of its services. */
export async function toolsOfFile(file: string, host: Host): Promise<Tools | ListFault> {
  const loaded = loadConfig(file, host.env)
  if (!loaded.ok) return { fault: formatFaults(loaded.faults), invalid: true }
  if (loaded.config.mcp === undefined)
    return { fault: `${file} has no section mcp, so that clients see no tools`, invalid: true }
  try {
    const { tools, missing } = await readTools(loaded.config)
    return { tools: tools.map((tool) => ({ ...tool })), missing }
  } catch (error) {
    if (!(error instanceof InitialisationError)) throw error
    return { fault: error.message, invalid: false }
  }
}

const TIMEOUT_MS = 30_000

/** The tools that a running gateway shows to the caller. */
export async function toolsOfGateway({ url, headers }: Endpoint): Promise<Tools | ListFault> {
  const { createStdioBridge, MODERN_VERSION } = await import('@agentic-rest/mcp')
  const lines: string[] = []
  const bridge = createStdioBridge({
    url: url.href,
    headers,
    fetch: (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }),
    write: (line) => void lines.push(line),
  })
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'agentic', version: readVersion() },
  }
  await bridge.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } }))
  const answer = membersOf(parseJson(lines.at(-1) ?? '{}', { isMessage: true }).value)
  const { tools } = membersOf(answer['result'])
  if (Array.isArray(tools)) return { tools: tools.map(membersOf) }
  const message = textOf(membersOf(answer['error'])['message']) || 'The answer has no tools'
  return { fault: `${message} (${url.href})`, invalid: false }
}

/** A text; empty if the value is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
