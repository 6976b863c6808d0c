import type { WebhookOptions } from '../../config/config-schema.ts'
import { InitialisationError } from '../../errors.ts'
import type { PluginContext } from '../../plugin.ts'
import { type HttpAnswer, HttpLookupError } from '../http-client.ts'
import { type CachedLookup, createCachedLookup } from './cached-lookup.ts'
import { fillUrl } from './fill-url.ts'

/** What a webhook is asked about: a value for each placeholder of its URL. */
export type WebhookQuery<Name extends string> = Readonly<Record<Name, string>>

/** A webhook whose answers are cached. */
export interface WebhookLookup<Name extends string, Answer extends NonNullable<unknown>>
  extends CachedLookup<WebhookQuery<Name>, Answer> {
  /** What is wrong with the last answer, if something is. */
  degraded(): string | undefined
}

/** How the answers of one kind of webhook are understood. */
export interface WebhookContract<Name extends string, Answer extends NonNullable<unknown>> {
  /** What it is, in words for the log: "the tenant directory". */
  readonly title: string
  readonly placeholders: readonly Name[]
  /** What an answer says, or `undefined` when it is not one the contract knows. */
  readonly read: (answer: HttpAnswer) => Answer | undefined
  readonly isNegative: (answer: Answer) => boolean
  /** The answer about a value that no URL can carry: nobody is asked. */
  readonly unaskable: Answer
}

/** Makes the look-up that tenant and licence webhooks share (decisions 19 and 20). */
export function createWebhookLookup<Name extends string, Answer extends NonNullable<unknown>>(
  options: WebhookOptions,
  contract: WebhookContract<Name, Answer>,
  context: PluginContext,
): WebhookLookup<Name, Answer> {
  refuseUnusableUrl(options.url, contract.placeholders)
  const health = createHealth(contract.title, context.log)
  const { timeout_ms: timeoutMs, headers } = options
  const ask = async (query: WebhookQuery<Name>): Promise<Answer | undefined> => {
    const url = fillUrl(options.url, query)
    if (url === undefined) return contract.unaskable
    try {
      const answer = contract.read(await context.http.get(url, { timeoutMs, headers, repeatLost: true }))
      health.note(answer === undefined ? 'invalid_answer' : undefined)
      return answer
    } catch (error) {
      health.note(error instanceof HttpLookupError ? error.reason : 'failed', error)
      return undefined
    }
  }
  const lookup = createCachedLookup({
    keyOf: (query) => keyOf(contract.placeholders, query),
    ask,
    keepMs: (answer) => keptSeconds(options, contract.isNegative(answer)) * 1000,
    maxEntries: options.cache_max_entries,
  })
  return { find: lookup.find, degraded: health.degraded }
}

/** The lengths keep ("ab", "c") and ("a", "bc") apart, whatever the values contain (hardening F16). */
function keyOf<Name extends string>(names: readonly Name[], query: WebhookQuery<Name>): string {
  let key = ''
  for (const name of names) key += `${query[name].length}:${query[name]}`
  return key
}

function keptSeconds(options: WebhookOptions, negative: boolean): number {
  return negative ? options.negative_ttl_seconds : options.cache_ttl_seconds
}

/** A URL that ignores a value would give all callers the answer of the first. */
function refuseUnusableUrl(template: string, names: readonly string[]): void {
  const missing = names.find((name) => !template.includes(`{${name}}`))
  if (missing !== undefined) throw new InitialisationError(`the webhook URL lacks {${missing}}`)
  const filled = fillUrl(template, Object.fromEntries(names.map((name) => [name, 'x'])))
  if (filled === undefined) throw new InitialisationError('the webhook URL has a dot segment')
  if (!URL.canParse(filled)) throw new InitialisationError('the webhook URL is not a URL')
}

interface Health {
  note(reason: string | undefined, error?: unknown): void
  degraded(): string | undefined
}

/** Remembers whether the last call went well, and logs changes only: an outage is not a line per request. */
function createHealth(title: string, log: PluginContext['log']): Health {
  let failure: string | undefined
  return {
    note: (reason, error) => {
      if (reason === failure) return
      failure = reason
      if (reason === undefined) log.info(`${title} answers again`)
      else log.warn(`${title} gives no usable answer`, { reason, error })
    },
    degraded: () => (failure === undefined ? undefined : `${title} gives no usable answer: ${failure}`),
  }
}
