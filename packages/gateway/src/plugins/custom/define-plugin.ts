import type { Outcome, OutcomeType, Trace } from '@agentic-rest/profile'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Log } from '../../log.ts'
import type { Hold, PluginPlan } from '../../plugin.ts'

/** A plugin of your own, as `definePlugin` makes it and a module exports it under the name `plugin`. */
export interface Plugin {
  readonly name: string
  readonly options?: StandardSchemaV1 | undefined
  create(options: unknown, context: PluginContext): PluginHooks
}

/** The argument of `definePlugin`. */
export interface PluginDefinition<Schema extends StandardSchemaV1 | undefined = undefined> {
  /** Lower-case letters, digits and hyphens. The configuration uses the same name. */
  readonly name: string
  /** A Standard Schema of the options, for example of zod, valibot or arktype. Without it the plugin takes none. */
  readonly options?: Schema
  /**
   * Called once for each configuration that is used, with the output of the schema. It returns at once and opens
   * nothing that it could open with the first request: `agentic routes --test` calls it too.
   */
  create(
    options: Schema extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<Schema> : undefined,
    context: PluginContext,
  ): PluginHooks
}

/** Defines a plugin: options in, hooks out. */
export function definePlugin<Schema extends StandardSchemaV1 | undefined = undefined>(
  definition: PluginDefinition<Schema>,
): Plugin {
  return Object.freeze({ ...definition }) as Plugin
}

/** The parts of the gateway that a plugin of your own may use. */
export interface PluginContext {
  /** The log of the gateway; each line carries the name of the plugin. */
  readonly log: Log
  /** Resources that outlive a reload: the last configuration that releases one closes it. */
  readonly hold: Hold
  /** The folder of the configuration file. */
  readonly baseFolder: string
}

/** The hooks of a plugin; at least `request` or `response`. */
export interface PluginHooks {
  /**
   * Called for each request at the plugin's place in the order. It returns nothing to let the request go on, or the
   * outcome that ends it. An exception is answered with `PLUGIN_FAILED`.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement is a valid hook
  request?(exchange: Exchange): Outcome | undefined | void | Promise<Outcome | undefined | void>
  /** Called once for each routed request when `exchange.result` is known, also when the request was refused. */
  response?(exchange: Exchange): void | Promise<void>
  /**
   * Whether the plugin acts on a route, and why. `request` and `response` are not called for other routes. Called once
   * for each route; without it the plugin acts on every route.
   */
  plan?(route: PluginRoute): PluginPlan
  /** Why the gateway is less than ready, if it is. Anybody can read the answer at `/readyz`. */
  degraded?(): string | undefined
  /** Releases everything. The gateway waits for at most 5 seconds. */
  close?(): void | Promise<void>
}

/** One request and its answer, as a plugin of your own sees it. Nothing in it can be changed but body and audit. */
export interface Exchange {
  readonly method: string
  /** The canonical path: matched and forwarded in this form. */
  readonly path: string
  /** The query with its question mark, or an empty string. */
  readonly query: string
  /** Values by lower-case name; repeated headers are joined. Without `authorization` unless the entry has `token: true`. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Names and values in turn, as received; `authorization` as in `headers`. */
  readonly rawHeaders: readonly string[]
  readonly trace: Trace
  readonly route: PluginRoute
  /** Decoded path parameters by name. */
  readonly params: Readonly<Record<string, string>>
  /** The caller, as the validated token names it; `undefined` while tokens are off. */
  readonly identity: PluginIdentity | undefined
  /** The actor of the audit record; empty when no caller is known. */
  readonly actor: string
  /** The validated tenant; `undefined` only in `response`, for a request that was refused before. */
  readonly tenantId: string | undefined
  readonly body: PluginBody
  /** Aborted when the client leaves, the deadline passes or the gateway shuts down. */
  readonly signal: AbortSignal
  readonly audit: PluginAudit
  /** How the request ended; `undefined` in `request`. */
  readonly result: PluginResult | undefined
}

/** The route of a request. */
export interface PluginRoute {
  readonly id: string
  readonly method: string
  /** The path template. */
  readonly path: string
  readonly mode: 'json' | 'sse'
  readonly roles: readonly string[]
  readonly license: string | undefined
  readonly executionTimeoutSeconds: number
}

/** The caller of a request. */
export interface PluginIdentity {
  readonly subject: string
  /** The issuer of the token; `undefined` when the token names none. */
  readonly issuer: string | undefined
  readonly roles: readonly string[]
  /** All claims of the token. */
  readonly claims: Readonly<Record<string, unknown>>
  /** The token is that of a service account. */
  readonly serviceAccount: boolean
}

/** The body of a request. */
export interface PluginBody {
  /** Bytes; 0 without a body, `undefined` for a chunked body that has not been read. */
  readonly length: number | undefined
  /** Reads a copy of the whole body; `undefined` when it is larger than `maxBytes` or the limit of the gateway. */
  read(maxBytes?: number): Promise<Uint8Array | undefined>
  /**
   * Replaces the whole body by one that is not encoded; the forwarded request is framed anew. Only before `request` has
   * returned its answer. Throws for a request without a body.
   */
  replace(content: string | Uint8Array): void
}

/** The audit record of a request. */
export interface PluginAudit {
  /** Adds an attribute to the record and to its span. A value longer than 1,024 characters is cut. */
  set(name: string, value: string | number | boolean): void
}

/** How a request ended. */
export interface PluginResult {
  /** The status the client got, or would have got; 0 when it left before. */
  readonly status: number
  /** One of the ten types, or the label of the metrics for another answer, for example `limit_exceeded`. */
  readonly label: string
  /** The typed outcome, where status and media type are those of its row. */
  readonly outcomeType: OutcomeType | undefined
}
