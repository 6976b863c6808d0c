import { onTestFinished } from 'vitest'
import type { BuiltinRule, PromptSanitizeOptions, SanitizeRule } from '../../../src/config/config-schema.ts'
import type { RequestBody, StepResult } from '../../../src/exchange.ts'
import { promptSanitize } from '../../../src/plugins/prompt-sanitize/prompt-sanitize.ts'
import {
  answerOf,
  makeBody,
  makeContext,
  makeExchange,
  makeHeaders,
  makeMetrics,
  type RecordedLine,
  type WireAnswer,
} from '../make-exchange.ts'

/** A rule of a test; the default action is `redact`. */
export type TestRule = Omit<SanitizeRule, 'action'> & Partial<Pick<SanitizeRule, 'action'>>

/** Every detector as a rule of the same name. */
export const everyDetector: readonly TestRule[] = (
  ['email', 'phone', 'credit_card', 'iban', 'us_ssn', 'ipv4', 'jwt', 'api_key'] satisfies BuiltinRule[]
).map((name) => ({ name, builtin: name }))

/** The effect of the plugin on a request. */
export interface Treated {
  /** The answer to a refused request. */
  readonly answer: WireAnswer | undefined
  /** The forwarded body. */
  readonly forwarded: string
  /** How often the body was replaced, and whether it was read. */
  readonly replaced: number
  readonly read: boolean
}

/** The headers of a body. */
export interface BodyOptions {
  readonly type?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** The plugin with these rules, and its reports. */
export interface TestSanitizer {
  treat(body: string | Buffer | readonly Buffer[], options?: BodyOptions): Promise<Treated>
  readonly lines: readonly RecordedLine[]
  /** Routes with skipped bodies. */
  readonly skipped: readonly string[]
}

/** Options of the plugin, and parts of the body that a test replaces. */
export interface SanitizerOptions {
  readonly maxBodyBytes?: number
  readonly uninspected?: PromptSanitizeOptions['uninspected']
  readonly body?: Partial<RequestBody>
}

/** Creates the plugin for one test. */
export function createSanitizer(rules: readonly TestRule[], options: SanitizerOptions = {}): TestSanitizer {
  const skipped: string[] = []
  const context = makeContext({ metrics: makeMetrics({ sanitizeSkipped: (route) => skipped.push(route) }) })
  onTestFinished(() => context.close())
  const plugin = promptSanitize(
    {
      max_body_bytes: options.maxBodyBytes ?? 1_048_576,
      uninspected: options.uninspected ?? 'refuse',
      rules: rules.map((rule) => ({ action: 'redact', ...rule })),
    },
    context,
  )
  return {
    lines: context.lines,
    skipped,
    async treat(source, { type = 'application/json', headers = {} } = {}) {
      const watched = watchBody(makeBody(source), options.body)
      const typed = type === '' ? headers : { 'Content-Type': type, ...headers }
      // No path values: some rules of these tests match every text.
      const params = Object.create(null)
      const exchange = makeExchange({ body: watched.body, headers: makeHeaders(typed), params })
      const result: StepResult = await plugin.request(exchange)
      const content = watched.body.content()
      const forwarded = content instanceof Buffer ? content.toString() : ''
      return { answer: answerOf(result, exchange), forwarded, ...watched.counts() }
    },
  }
}

/** The body with counters. */
function watchBody(
  body: RequestBody,
  overrides: Partial<RequestBody> = {},
): { body: RequestBody; counts: () => { replaced: number; read: boolean } } {
  let replaced = 0
  let read = false
  return {
    body: {
      get length() {
        return body.length
      },
      get isRead() {
        return body.isRead
      },
      get isReplaced() {
        return body.isReplaced
      },
      read: (maxBytes) => {
        read = true
        return overrides.read?.(maxBytes) ?? body.read(maxBytes)
      },
      arrived: (maxBytes) => {
        if (overrides.read !== undefined) return undefined
        const bytes = body.arrived(maxBytes)
        read ||= bytes !== undefined
        return bytes
      },
      replace: (bytes) => {
        replaced++
        body.replace(bytes)
      },
      holdIn: (account) => body.holdIn(account),
      content: () => body.content(),
    },
    counts: () => ({ replaced, read }),
  }
}

/** The answer to a body with one fault. */
export function invalidAnswer(field: string, message: string): WireAnswer {
  return {
    status: 422,
    mediaType: 'application/vnd.agentic.validation-error+json',
    body: {
      type: 'validation_failed',
      code: 'VALIDATION_FAILED',
      message: 'The request is not valid.',
      errors: [{ field, message }],
      trace: { correlationId: 'corr-1', requestId: 'req-1' },
    },
  }
}

/** The answer to a body that a rule rejects. */
export function rejectedAnswer(field: string, rule: string): WireAnswer {
  return invalidAnswer(field, `The value is not allowed here by the rule "${rule}".`)
}
