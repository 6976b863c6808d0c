import type { InputLocation, JsonObject } from '@agentic-rest/profile'

/** A tool as clients see it in `tools/list`. */
export interface ToolDefinition {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonObject & { readonly type: 'object' }
  readonly annotations?: JsonObject
}

/** The place of an argument in the request of the route. */
export interface Place {
  readonly location: InputLocation
  /** The name of the parameter or member; empty for an argument that is the whole body. */
  readonly name: string
}

/** The `mcp` section of a route. */
export interface ToolSettings {
  readonly name?: string | undefined
  readonly title?: string | undefined
  readonly description?: string | undefined
  /** `openapi`, `none`, or the JSON Schema of a file. */
  readonly input?: 'openapi' | 'none' | JsonObject | undefined
  /** Absent means events if the document says that the operation streams. */
  readonly stream?: 'off' | 'events' | undefined
  readonly idempotencyArgument?: boolean | undefined
}

/** A route of the gateway that is a tool. */
export interface ToolRoute {
  readonly id: string
  readonly method: string
  /** The path template, such as `/campaigns/{campaignId}/optimizations`. */
  readonly path: string
  readonly mcp: ToolSettings
}

/** A tool and all facts that its calls need. */
export interface CatalogueTool {
  readonly definition: ToolDefinition
  readonly route: ToolRoute
  /** The place of each argument. The names are outside input, so this is a map. */
  readonly places: ReadonlyMap<string, Place>
  /** The location of arguments without a place; undefined if there may be none. */
  readonly additional: 'body' | 'query' | undefined
  /** The names of the path parameters in the document, in the order of the template. */
  readonly pathParameters: readonly string[]
  /** Whether the operation has the `Prefer` parameter, so that it can answer 202 on demand. */
  readonly canAnswerLater: boolean
  /** Whether the document has the parameter for idempotency keys. */
  readonly isIdempotent: boolean
  /** Whether its events are reported to clients that want progress. */
  readonly streams: boolean
}

/** A reason why a route cannot be a tool. */
export interface ToolFault {
  readonly code:
    | 'bad_name'
    | 'duplicate_name'
    | 'no_document'
    | 'bad_document'
    | 'no_operation'
    | 'foreign_reference'
    | 'missing_reference'
    | 'too_deep'
    | 'too_large'
  readonly message: string
}

/** The tool of a route, or the reason why there is none. */
export type ToolReading =
  | { readonly ok: true; readonly tool: CatalogueTool }
  | { readonly ok: false; readonly fault: ToolFault }

/** The most characters of a tool name. Clients add a prefix and fail above 64. */
export const MAX_NAME_LENGTH = 48

const NAME = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_NAME_LENGTH}}$`)

/** Whether clients accept a name. */
export function isToolName(name: string): boolean {
  return NAME.test(name)
}

/** The name of a route's tool: the one of its section, or the route id with `-` for other characters. */
export function toolNameOf({ id, mcp }: Pick<ToolRoute, 'id' | 'mcp'>): string {
  return mcp.name ?? id.replaceAll(/[^A-Za-z0-9_-]/g, '-')
}

const hintsByMethod: Readonly<Record<string, JsonObject>> = {
  GET: { readOnlyHint: true },
  HEAD: { readOnlyHint: true },
  DELETE: { destructiveHint: true, idempotentHint: true },
  PUT: { idempotentHint: true },
  POST: { readOnlyHint: false, destructiveHint: false },
}

/** The hints for clients about a method's effects. */
export function annotationsOf(method: string): JsonObject {
  return { ...hintsByMethod[method], openWorldHint: true }
}

/** Whether requests of a method can have an effect. */
export function hasEffect(method: string): boolean {
  return !['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method)
}
