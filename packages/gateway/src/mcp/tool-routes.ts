import type * as Package from '@agentic-rest/mcp'
import { parseJson } from '@agentic-rest/profile'
import type { GatewayConfig, RouteConfig } from '../config/config-schema.ts'
import { toolNameOf } from '../config/mcp-rules.ts'
import { readNamedFile } from '../config/read-files.ts'
import { isInputFile } from '../config/schema/mcp-section.ts'
import { pathShape } from '../config/schema/path-template.ts'
import { InitialisationError } from '../errors.ts'
import { canonicalTarget } from '../listen/canonical-path.ts'
import type { UpstreamPools } from '../upstream/pools.ts'
import { readServiceDocument } from '../upstream/service-document.ts'

/** The routes that are tools, as the package sees them. Throws an `InitialisationError` for a bad schema file. */
export function toolRoutes({ routes }: GatewayConfig): readonly Package.TargetRoute[] {
  return routes.flatMap(toolRoute)
}

function toolRoute(route: RouteConfig): Package.TargetRoute[] {
  const { id, method, path, mode, mcp } = route
  if (mcp === undefined) return []
  const input = isInputFile(mcp.input) ? readSchema(mcp.input, `routes.${id}.mcp.input`) : mcp.input
  // Without mode: sse the deadline of an ordinary answer would end the stream.
  const stream = mcp.stream ?? (mode === 'sse' ? undefined : 'off')
  const tool = { ...mcp, name: toolNameOf(id, mcp.name), input, stream } as Package.ToolSettings
  return [{ id, method, path, target: serviceOf(route), mcp: tool }]
}

/** One text for each service: its address, or the name of its upstream, which is no address. */
function serviceOf({ target, upstream = '' }: RouteConfig): string {
  return target ?? `upstream ${upstream}`
}

/** Reads the input schema of a tool from its file. */
export function readSchema(file: string, key: string): object {
  const { value } = parseJson(readNamedFile(file, key))
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new InitialisationError(`${key}: its content is not a JSON Schema`)
}

/** Reads the document of a service with the connections of its routes. Rejects if it cannot be had. */
export async function readDocument(
  service: string,
  { config, pools }: { readonly config: GatewayConfig; readonly pools: UpstreamPools },
): Promise<unknown> {
  const route = config.routes.find((each) => each.mcp !== undefined && serviceOf(each) === service)
  // Every target of an upstream is the same service.
  const target = route && pools.get(route).anyTarget()
  const reading = target && (await readServiceDocument(target))
  if (reading?.ok !== true) throw new Error('the document of the service cannot be read')
  return reading.document
}

/** The tool of a route, with the reason if it is none at the moment. */
export interface RouteTool {
  readonly name: string
  /** The code of the reason, such as `no_document`. */
  readonly fault?: string
  /** The reason for people. */
  readonly why?: string
}

const LOADING: Package.ToolFault = {
  code: 'no_document',
  message: 'the document of the service has not been read yet',
}

/** The tools by the ids of their routes. Without faults the documents have not been read yet. */
export function routeToolsOf(
  routes: readonly Package.TargetRoute[],
  faults: readonly Package.CatalogueFault[] = routes.map(({ id }) => ({ routeId: id, fault: LOADING })),
): ReadonlyMap<string, RouteTool> {
  const reasons = new Map(faults.map(({ routeId, fault }) => [routeId, fault]))
  return new Map(
    routes.map(({ id, mcp }): [string, RouteTool] => {
      const reason = reasons.get(id)
      const name = toolNameOf(id, mcp.name)
      return [id, reason === undefined ? { name } : { name, fault: reason.code, why: reason.message }]
    }),
  )
}

const STATUS_SHAPE = pathShape('/operations/{operationId}/status')

/** Whether a route shows the status of the operations of a tool's service. */
export function hasStatusRoute({ routes }: GatewayConfig, tool: RouteConfig | undefined): boolean {
  return routes.some(
    (route) =>
      route.method === 'GET' &&
      tool !== undefined &&
      serviceOf(route) === serviceOf(tool) &&
      pathShape(route.path) === STATUS_SHAPE,
  )
}

/** Finds the route of a GET request; undefined for a path that no route serves. */
export type RouteOf = (path: string) => RouteConfig | undefined

/** Whether the route of a path has the same service as a tool. */
export function leadsToService(path: string, tool: RouteConfig | undefined, routeOf: RouteOf): boolean {
  const [pathname = ''] = path.split('?')
  const target = canonicalTarget(pathname, undefined)
  const route = target.ok ? routeOf(target.path) : undefined
  return tool !== undefined && route !== undefined && serviceOf(route) === serviceOf(tool)
}
