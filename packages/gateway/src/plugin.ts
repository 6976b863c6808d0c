import type { Writable } from 'node:stream'
import type { Exchange, StepResult } from './exchange.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Collector } from './plugins/otel-audit/collector.ts'
import type { KeySource } from './plugins/token-validator/key-set.ts'
import type { HttpClient } from './upstream/http-client.ts'
import type { Shared } from './upstream/shared.ts'

/** The plugins, in the order in which every request passes them. */
export const pluginOrder = [
  'token-validator',
  'tenant-injector',
  'license-check',
  'prompt-sanitize',
  'otel-audit',
] as const

/** The name of a plugin, which is also its key in the configuration. */
export type PluginName = (typeof pluginOrder)[number]

/** A step of the pipeline: options in, this out. It refuses by returning an outcome, never by throwing. */
export interface Plugin {
  readonly name: PluginName
  /** Returns synchronously when it can: what is cached costs no promise. */
  request(exchange: Exchange): StepResult | Promise<StepResult>
  /** Called once for every routed request when `exchange.result` is known, also when the request was refused. */
  response?(exchange: Exchange): void
  /** Resolves when what it needs of the outside world is there, or cannot be had; never rejects. */
  warm?(): Promise<void>
  /** Why the gateway is less than ready, if it is; never fails readiness by itself. */
  degraded?(): string | undefined
  /** Flushes and releases everything; resolves within the time that the plugin itself bounds. */
  close?(): Promise<void>
}

/** What a plugin may use of the world. */
export interface PluginContext {
  readonly http: HttpClient
  readonly log: Log
  readonly metrics: Metrics
  /** The keys of issuers, which outlast a reload that does not change where they are. */
  readonly keySets: Shared<KeySource>
  /** The connections to collectors of audit records, which outlast it likewise. */
  readonly collectors: Shared<Collector>
  /** Where the audit exporter `stdout` writes. */
  readonly stdout: Writable
  /** Changes with every configuration, so that nothing cached outlives the rules it was made by. */
  readonly configVersion: string
  /** The folder that relative file names of the configuration start from. */
  readonly baseFolder: string
}
