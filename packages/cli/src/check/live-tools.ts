import {
  type ConfigPath,
  type GatewayConfig,
  InitialisationError,
  type RouteConfig,
  readTools,
} from '@agentic-rest/gateway'
import { membersOf } from '@agentic-rest/profile'

/** The ids of the findings about tools that only the live check has, each with its meaning. */
export const toolRules = {
  'tool-unusable':
    'With --live: MCP clients do not see the tool of a route, because of the document of its service.',
  'tool-without-idempotency':
    'With --live: an MCP client that repeats a call does its work twice, because nobody keeps its key.',
} as const

/** A finding about a tool. */
export interface ToolFinding {
  readonly id: keyof typeof toolRules | 'tool-without-description'
  readonly path: ConfigPath
  readonly message: string
}

// These have findings of their own: the target does not answer, or does not have the operation.
const foundElsewhere: readonly string[] = ['no_document', 'no_operation']

/** Judges the tools of a configuration by the documents of the services: what clients would miss, and what is unwise. */
export async function checkTools(config: GatewayConfig): Promise<ToolFinding[]> {
  if (config.mcp === undefined) return []
  try {
    const { tools, routes, missing } = await readTools(config)
    const described = new Set(
      tools.filter(({ description }) => description !== undefined).map(({ name }) => name),
    )
    const faults = new Map(missing.map(({ route, code, message }) => [route, { code, message }]))
    const read = new Map(routes.map((tool) => [tool.route, tool]))
    return config.routes.flatMap((route, index): ToolFinding[] => {
      const path = ['routes', index, 'mcp']
      const fault = faults.get(route.id)
      if (fault !== undefined && !foundElsewhere.includes(fault.code))
        return [{ id: 'tool-unusable', path, message: `is no tool (${fault.code}): ${fault.message}` }]
      const tool = read.get(route.id)
      // Only an input by the document leaves the description to the document.
      if (tool === undefined || route.mcp?.input !== 'openapi') return []
      const findings: ToolFinding[] = []
      if (!described.has(tool.tool))
        findings.push({ id: 'tool-without-description', path, message: NO_DESCRIPTION })
      if (route.method === 'POST' && !tool.isIdempotent && !keepsKeys(route))
        findings.push({ id: 'tool-without-idempotency', path, message: NO_IDEMPOTENCY })
      return findings
    })
  } catch (error) {
    // A file that cannot be used here has a finding of its own.
    if (error instanceof InitialisationError) return []
    throw error
  }
}

const NO_DESCRIPTION =
  'has no description, and the operation has neither a summary nor one, a model must guess the use of the tool'
const NO_IDEMPOTENCY =
  'is a POST whose service names no Idempotency-Key, a client that calls again after a lost answer does the work twice'

/** Whether the gateway itself sends requests with the same key once. */
function keepsKeys(route: RouteConfig): boolean {
  const { mode } = membersOf(membersOf(route)['idempotency'])
  return mode !== undefined && mode !== 'off'
}
