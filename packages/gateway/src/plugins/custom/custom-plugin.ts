import { type Outcome, outcomeTypes, parseOwnJson, writeOutcome } from '@agentic-rest/profile'
import type { RouteConfig } from '../../config/config-schema.ts'
import { didYouMean } from '../../config/did-you-mean.ts'
import { InitialisationError, refusal } from '../../errors.ts'
import type { Exchange, StepResult } from '../../exchange.ts'
import { type Log, withFields } from '../../log.ts'
import type { PipelineContext, PipelinePlugin, PluginPlan } from '../../plugin.ts'
import type { PluginContext, PluginHooks, PluginRoute } from './define-plugin.ts'
import { type Access, ExchangeView, viewRoute } from './exchange-view.ts'
import type { LoadedPlugin } from './load-plugins.ts'
import { cut, handleRejection, inTime, isThenable, LateError, reasonOf } from './plugin-errors.ts'

/** The parts of the gateway that a custom plugin is made with. */
export type CustomWorld = Pick<PipelineContext, 'log' | 'hold' | 'baseFolder'>

const HOOKS = ['request', 'response', 'plan', 'degraded', 'close'] as const
const CLOSE_MS = 5_000

const EVERY_ROUTE: PluginPlan = { runs: true, why: 'runs for every route' }
// Fails closed: a plugin whose plan cannot be read runs.
const UNKNOWN_PLAN: PluginPlan = { runs: true, why: 'runs for every route: its plan failed' }

interface PlannedRoute extends PluginPlan {
  readonly view: PluginRoute
}

interface Viewed {
  readonly view: ExchangeView
  readonly access: Access
}

/** Creates a custom plugin behind the contract of our own; throws an `InitialisationError` when `create` fails. */
export function createCustomPlugin(loaded: LoadedPlugin, world: CustomWorld): PipelinePlugin {
  const { name } = loaded.plugin
  const log = withFields(world.log, { plugin: name })
  const hooks = createHooks(loaded, { ...world, log })
  const routes = new WeakMap<RouteConfig, PlannedRoute>()
  const views = new WeakMap<Exchange, Viewed>()

  const planRoute = (route: RouteConfig): PlannedRoute => {
    const known = routes.get(route)
    if (known !== undefined) return known
    const view = viewRoute(route)
    const planned = { ...readPlan(hooks, view, log), view }
    routes.set(route, planned)
    return planned
  }
  /** The same object in `request` and `response`, so that a plugin can keep its own notes by it. */
  const viewOf = (exchange: Exchange): Viewed | undefined => {
    const known = views.get(exchange)
    if (known !== undefined || exchange.route === undefined) return known
    const { runs, view: route } = planRoute(exchange.route)
    if (!runs) return undefined
    const access: Access = { route, token: loaded.token, open: false }
    const viewed = { view: new ExchangeView(exchange, access), access }
    views.set(exchange, viewed)
    return viewed
  }
  return {
    name,
    request(exchange) {
      const viewed = hooks.request && viewOf(exchange)
      if (viewed === undefined) return undefined
      const { view, access } = viewed
      const settle = (settled: unknown) => judge(settled, exchange, log)
      let isPending = false
      access.open = true
      try {
        const answer: unknown = hooks.request?.(view)
        if (!isThenable(answer)) return settle(answer)
        isPending = true
        return untilSettled(answer, access).then(settle)
      } finally {
        access.open = isPending
      }
    },
    response(exchange) {
      const viewed = hooks.response && viewOf(exchange)
      return viewed && (hooks.response?.(viewed.view) as undefined)
    },
    plan(route) {
      const { runs, why } = planRoute(route)
      return { runs, why }
    },
    degraded: () => readDegraded(hooks),
    close: () => closeWithin(hooks, log),
  }
}

async function untilSettled(answer: PromiseLike<unknown>, access: Access): Promise<unknown> {
  try {
    return await answer
  } finally {
    access.open = false
  }
}

function createHooks(loaded: LoadedPlugin, { log, hold, baseFolder }: PluginContext): PluginHooks {
  const fail = (message: string) => new InitialisationError(`${loaded.place}: ${message}`, { located: true })
  let hooks: unknown
  try {
    hooks = loaded.plugin.create(loaded.options, Object.freeze({ log, hold, baseFolder }))
  } catch (error) {
    throw fail(`create failed: ${reasonOf(error)}`)
  }
  if (isThenable(hooks)) {
    handleRejection(hooks)
    throw fail('create must return its hooks at once, not a promise')
  }
  const fault = faultOfHooks(hooks)
  if (fault !== undefined) throw fail(`create ${fault}`)
  return hooks as PluginHooks
}

function faultOfHooks(hooks: unknown): string | undefined {
  if (typeof hooks !== 'object' || hooks === null)
    return `must return an object with hooks, not ${hooks === null ? 'null' : typeof hooks}`
  const known: readonly string[] = HOOKS
  // An instance of a class has fields of its own; in a literal every key is meant as a hook.
  const isLiteral = [Object.prototype, null].includes(Object.getPrototypeOf(hooks))
  const unknown = isLiteral ? Object.keys(hooks).find((key) => !known.includes(key)) : undefined
  if (unknown !== undefined) return `returned the unknown hook "${unknown}"${didYouMean(unknown, known)}`
  const wrong = HOOKS.find((name) => {
    const hook = (hooks as PluginHooks)[name]
    return hook !== undefined && typeof hook !== 'function'
  })
  if (wrong !== undefined) return `returned a hook "${wrong}" that is not a function`
  const { request, response } = hooks as PluginHooks
  return request === undefined && response === undefined ? 'returned neither request nor response' : undefined
}

function readPlan(hooks: PluginHooks, route: PluginRoute, log: Log): PluginPlan {
  if (hooks.plan === undefined) return EVERY_ROUTE
  try {
    const plan: { runs: unknown; why: unknown } = hooks.plan(route)
    if (isThenable(plan)) handleRejection(plan)
    const { runs, why } = plan
    if (typeof runs === 'boolean' && typeof why === 'string') return { runs, why: cut(why) }
    log.warn('a plan must be { runs: boolean, why: string }', { route: route.id })
  } catch (error) {
    log.warn('a plan failed', { route: route.id, error })
  }
  return UNKNOWN_PLAN
}

function readDegraded(hooks: PluginHooks): string | undefined {
  try {
    const reason: unknown = hooks.degraded?.()
    if (isThenable(reason)) handleRejection(reason)
    return typeof reason === 'string' ? cut(reason) : undefined
  } catch {
    return 'degraded failed'
  }
}

/** A plugin that hangs or throws must not keep the gateway from closing. */
async function closeWithin(hooks: PluginHooks, log: Log): Promise<void> {
  try {
    await inTime(hooks.close?.(), CLOSE_MS)
  } catch (error) {
    if (error instanceof LateError) log.warn('a plugin did not close in time', { seconds: CLOSE_MS / 1000 })
    else log.warn('a plugin failed to close', { error })
  }
}

/** The answer of a plugin is outside input: a value that the encoder would refuse fails this request alone. */
function judge(answer: unknown, exchange: Exchange, log: Log): StepResult {
  if (answer === undefined) return undefined
  const { trace } = exchange
  try {
    const outcome = readOutcome(answer)
    writeOutcome(outcome, trace)
    return outcome
  } catch (error) {
    log.error('a plugin returned an invalid outcome', {
      request_id: trace.requestId,
      reason: error instanceof TypeError || error instanceof RangeError ? error.message : reasonOf(error),
    })
    exchange.cause = 'INVALID_OUTCOME'
    return refusal('PLUGIN_FAILED')
  }
}

/** A copy as plain data, taken once: a getter could give another value when the outcome is sent. */
function readOutcome(answer: unknown): Outcome {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new TypeError(`an outcome is an object, not ${shape(answer)}`)
  const outcome = parseOwnJson(JSON.stringify(answer)) as Readonly<Record<string, unknown>>
  const { type } = outcome
  if (typeof type !== 'string' || !(outcomeTypes as readonly string[]).includes(type))
    throw new TypeError('the type of an outcome is one of the ten types')
  return outcome as unknown as Outcome
}

function shape(answer: unknown): string {
  if (answer === null) return 'null'
  return Array.isArray(answer) ? 'a list' : `a ${typeof answer}`
}
