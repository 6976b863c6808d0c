import { refusal } from '../errors.ts'
import type { Exchange, StepResult } from '../exchange.ts'
import type { Log } from '../log.ts'
import { type Plugin, pluginOrder } from '../plugin.ts'
import { unlessCancelled } from '../unless-cancelled.ts'

/** The plugins in their fixed order. */
export interface Pipeline {
  readonly plugins: readonly Plugin[]
  /** Runs the plugins until one refuses; without a promise when none of them needs one. */
  request(exchange: Exchange): StepResult | Promise<StepResult>
  /** Tells every plugin how the request ended. */
  response(exchange: Exchange): void
  /** Resolves when every plugin has what it needs, or knows that it cannot be had. */
  warm(): Promise<void>
  close(): Promise<void>
}

/** Puts plugins into the order that every request passes them in, whatever order they are given in. */
export function createPipeline(given: readonly Plugin[], log: Log): Pipeline {
  const plugins = pluginOrder.flatMap((name) => given.filter((plugin) => plugin.name === name))
  const failed = (plugin: Plugin, exchange: Exchange, error: unknown): StepResult => {
    log.error('a plugin failed', { plugin: plugin.name, request_id: exchange.trace.requestId, error })
    return refusal('PLUGIN_FAILED')
  }
  /** A plugin that throws fails its request alone. */
  const run = (plugin: Plugin, exchange: Exchange): StepResult | Promise<StepResult> => {
    try {
      return plugin.request(exchange)
    } catch (error) {
      return failed(plugin, exchange, error)
    }
  }
  const runFrom = (start: number, exchange: Exchange): StepResult | Promise<StepResult> => {
    for (let index = start; index < plugins.length; index += 1) {
      const plugin = plugins[index] as Plugin
      const result = run(plugin, exchange)
      if (result instanceof Promise)
        return result.then(
          (refused) => refused ?? runFrom(index + 1, exchange),
          (error) => failed(plugin, exchange, error),
        )
      if (result !== undefined) return result
    }
    return undefined
  }
  const tell = (plugin: Plugin, exchange: Exchange): void => {
    try {
      // Nobody waits for it, but a plugin may be asynchronous here, whatever its type says.
      const telling: unknown = plugin.response?.(exchange)
      if (telling instanceof Promise) telling.catch((error) => failed(plugin, exchange, error))
    } catch (error) {
      failed(plugin, exchange, error)
    }
  }
  return {
    plugins,
    request(exchange) {
      const result = runFrom(0, exchange)
      // A plugin that waits for the outside world must not keep a request beyond its deadline or its client.
      return result instanceof Promise ? unlessCancelled(result, exchange.signal) : result
    },
    response(exchange) {
      for (const plugin of plugins) tell(plugin, exchange)
    },
    async warm() {
      await Promise.allSettled(plugins.map((plugin) => plugin.warm?.()))
    },
    async close() {
      await Promise.allSettled(plugins.map((plugin) => plugin.close?.()))
    },
  }
}
