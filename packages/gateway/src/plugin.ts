import type { Writable } from 'node:stream'
import type { AuditEvent } from '@agentic-rest/profile'
import type { AuditFiles } from './audit-log/audit-files.ts'
import type { RouteConfig } from './config/config-schema.ts'
import type { Exchange, StepResult } from './exchange.ts'
import type { Waits } from './limits/in-flight/load.ts'
import type { ClientAddress } from './listen/client-address.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { HttpClient } from './upstream/http-client.ts'
import type { Held } from './upstream/shared-resources.ts'

/** A step of the pipeline: options in, this out. It refuses by returning an outcome, never by throwing. */
export interface PipelinePlugin {
  readonly name: string
  /** Returns synchronously when it can: a cached answer costs no promise. */
  request(exchange: Exchange): StepResult | Promise<StepResult>
  /** Called once for every routed request when `exchange.result` is known, also when the request was refused. */
  response?(exchange: Exchange): void
  /** Whether it acts on a route, and why. The CLI and the console show this answer and have none of their own. */
  plan?(route: RouteConfig): PluginPlan
  /** Resolves when its resources in the outside world are available or have failed; never rejects. */
  warm?(): Promise<void>
  /** Why the gateway is less than ready, if it is; never fails readiness by itself. */
  degraded?(): string | undefined
  /** The cause of its last failed look-up, as one word. */
  cause?(): string | undefined
  /** Takes a record of something that is no request of a route, such as a sign-in. */
  record?(event: AuditEvent, exchange: Exchange): void
  /** The plugin is told the end of requests without a route too. */
  readonly seesUnrouted?: boolean
  /** Flushes and releases everything; resolves within a time that the plugin itself bounds. */
  close?(): Promise<void>
}

/** Whether a plugin acts on a route, and why. */
export interface PluginPlan {
  readonly runs: boolean
  readonly why: string
}

/** A resource that a register can close. */
export interface Closable {
  close(): unknown
}

/** Hands out the resource of a key, made now if no configuration holds it yet. The last release closes it. */
export type Hold = <Resource extends Closable>(key: string, make: () => Resource) => Held<Resource>

/** The parts of the gateway that a plugin may use. */
export interface PipelineContext {
  readonly http: HttpClient
  readonly log: Log
  readonly metrics: Metrics
  readonly waits: Waits
  /** Resources that outlive a reload: connections, fetched keys. Keys belong to this plugin alone. */
  readonly hold: Hold
  /** The address of the client, behind `gateway.trusted_proxies` too. */
  readonly clientAddress: ClientAddress
  /** Where the audit exporter `stdout` writes. */
  readonly stdout: Writable
  /** Where the audit exporter `file` writes. */
  readonly auditFiles: AuditFiles
  /** Changes with every configuration, so that no cached decision outlives the rules that made it. */
  readonly configVersion: string
  /** The folder that relative file names of the configuration start from. */
  readonly baseFolder: string
}
