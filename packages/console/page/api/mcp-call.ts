import type { AdminReading } from '@agentic-rest/profile/admin'
import type { AuditRecord } from './audit-records.ts'

/** The MCP call that a request was made for. Its round counts from 1. */
export type McpCall = AdminReading<'McpCall'>

/** A call with a client's name that is safe to show. */
export function shownCall(call: McpCall | null): McpCall | null {
  return call && { ...call, client: safeName(call.client) }
}

/** Reads the call from the attributes of a record; null without one. */
export function callOfRecord(attributes: AuditRecord['attributes']): McpCall | null {
  if (attributes.get('via') !== 'mcp') return null
  return {
    tool: attributes.get('mcp_tool') ?? '',
    client: safeName(attributes.get('mcp_client') ?? ''),
    version: attributes.get('mcp_version') ?? '',
    round: Number(attributes.get('mcp_round')) || 0,
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
