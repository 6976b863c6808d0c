import type { BuiltInName } from '../config/schema/plugin-sections.ts'
import { causeOf, refusal } from '../errors.ts'
import { type Exchange, type StepResult, unlessCancelled } from '../exchange.ts'
import { LimitReachedError, refuse } from '../limits/refuse.ts'
import type { Log } from '../log.ts'
import type { PipelinePlugin } from '../plugin.ts'
import type { Parts } from './parts.ts'

/** Runs the plugins in their order until one refuses; without a promise when none of them needs one. */
export function pipeline(exchange: Exchange, parts: Parts): StepResult | Promise<StepResult> {
  const result = runFrom(0, exchange, parts)
  // A plugin that waits for the outside world must not keep a request beyond its deadline or its client.
  return result instanceof Promise ? unlessCancelled(result, exchange.signal) : result
}

function runFrom(start: number, exchange: Exchange, parts: Parts): StepResult | Promise<StepResult> {
  const { plugins } = parts.snapshot
  for (let index = start; index < plugins.length; index += 1) {
    const plugin = plugins[index] as PipelinePlugin
    exchange.step = plugin.name
    const result = run(plugin, exchange, parts.log)
    if (result instanceof Promise)
      return result.then(
        // A request that was cancelled meanwhile has its answer: nothing more is done for it.
        (refused) =>
          exchange.signal.aborted
            ? undefined
            : (ended(plugin, exchange, refused ?? takeShare(plugin, exchange, parts)) ??
              runFrom(index + 1, exchange, parts)),
        (error) => failed(plugin, exchange, { log: parts.log, error }),
      )
    const refused = ended(plugin, exchange, result ?? takeShare(plugin, exchange, parts))
    if (refused !== undefined) return refused
  }
  return undefined
}

/** Notes the end of a plugin's step and, for a look-up that failed, the cause. */
function ended(plugin: PipelinePlugin, exchange: Exchange, refused: StepResult): StepResult {
  exchange.trail?.end(plugin.name)
  if (refused?.type === 'failed_dependency') exchange.cause ??= plugin.cause?.()
  return refused
}

const KNOWS_TENANT: BuiltInName = 'tenant-injector'

/** Counts the request against the share of its tenant, as soon as the tenant is known; `finish` ends that. */
function takeShare({ name }: PipelinePlugin, exchange: Exchange, { load }: Parts): StepResult {
  if (name !== KNOWS_TENANT || load.takeShare(exchange)) return undefined
  return refuse(exchange, 'max_in_flight_per_tenant')
}

/** A plugin that throws fails its request alone. */
function run(plugin: PipelinePlugin, exchange: Exchange, log: Log): StepResult | Promise<StepResult> {
  try {
    return plugin.request(exchange)
  } catch (error) {
    return failed(plugin, exchange, { log, error })
  }
}

interface Failure {
  readonly log: Log
  readonly error: unknown
}

function failed(plugin: PipelinePlugin, exchange: Exchange, { log, error }: Failure): StepResult {
  if (error instanceof LimitReachedError) return refuse(exchange, error.limit)
  exchange.cause = causeOf(error)
  // A plugin that gives up because its client left has not failed.
  const level = exchange.signal.aborted ? 'debug' : 'error'
  log[level]('a plugin failed', { plugin: plugin.name, request_id: exchange.trace.requestId, error })
  return refusal('PLUGIN_FAILED')
}

/** Tells every plugin how the request ended; without a route only those that see such requests. */
export function tellPlugins(exchange: Exchange, { snapshot, log }: Parts): void {
  for (const plugin of snapshot.plugins) {
    if (exchange.route === undefined && plugin.seesUnrouted !== true) continue
    try {
      // The result is not awaited, but a plugin in JavaScript may be asynchronous here, whatever its type says.
      const telling: unknown = plugin.response?.(exchange)
      if (telling instanceof Promise) telling.catch((error) => failed(plugin, exchange, { log, error }))
    } catch (error) {
      failed(plugin, exchange, { log, error })
    }
  }
}
