import { type Fields, fieldsOf, numberOf, textOf } from './read-json.ts'

/** The MCP call that a request was made for. */
export interface McpCall {
  readonly tool: string
  /** The name that the client gives itself, safe to show. */
  readonly client: string
  readonly version: string
  /** The round of the call; the first is 1. */
  readonly round: number
}

/** Reads the member `mcp` of a request; null without one. */
export function readCall(fields: Fields): McpCall | null {
  const given = fields.get('mcp')
  if (given === undefined || given === null) return null
  const call = fieldsOf(given)
  return {
    tool: textOf(call, 'tool'),
    client: safeName(textOf(call, 'client')),
    version: textOf(call, 'version'),
    round: numberOf(call, 'round'),
  }
}

/** Reads the call from the attributes of a record; null without one. */
export function callOfRecord(attributes: Fields): McpCall | null {
  if (attributes.get('via') !== 'mcp') return null
  return {
    tool: textOf(attributes, 'mcp_tool'),
    client: safeName(textOf(attributes, 'mcp_client')),
    version: textOf(attributes, 'mcp_version'),
    round: Number(textOf(attributes, 'mcp_round', '0')) || 0,
  }
}

const MAX_NAME_LENGTH = 64

/** A name that a stranger chose: cut, without control characters and characters that reorder a line. */
function safeName(name: string): string {
  return name.slice(0, MAX_NAME_LENGTH).replace(/\p{C}/gu, '\uFFFD')
}

const MCP = 'MCP'

/** The ways a request can be searched by: MCP, its tool and its client; none for a request of REST. */
export function viaOf(call: McpCall | null): readonly string[] {
  return call === null ? [] : [MCP, `tool ${call.tool}`, `client ${call.client}`]
}

/** The facts of a call, each with its name. The name of the client is its own word. */
export function callFacts({ tool, client, version, round }: McpCall): readonly (readonly [string, string])[] {
  return [
    ['Via', [MCP, version].filter(Boolean).join(' ')],
    ['Tool', tool],
    ['Client', client || '–'],
    ['Round', String(round)],
  ]
}

/** A call in a few words, such as `via MCP, round 2, claude-code`. The client chose its name, so it comes last. */
export function callWords({ client, round }: McpCall): string {
  return ['via MCP', round > 1 && `round ${round}`, client].filter(Boolean).join(', ')
}
