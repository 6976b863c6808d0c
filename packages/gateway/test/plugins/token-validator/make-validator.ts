import type { IssuerServer } from '@agentic-rest/testing/start-issuer'
import type { TokenValidatorOptions } from '../../../src/config/config-schema.ts'
import { tokenValidatorSection } from '../../../src/config/schema/plugin-sections.ts'
import { type ErrorCode, errorCodeRow } from '../../../src/errors.ts'
import type { Exchange, StepResult } from '../../../src/exchange.ts'
import type { PipelineContext, PipelinePlugin } from '../../../src/plugin.ts'
import { tokenValidator } from '../../../src/plugins/token-validator/token-validator.ts'
import {
  answerOf,
  makeContext,
  makeExchange,
  makeHeaders,
  makeRoute,
  type TestContext,
  type WireAnswer,
} from '../make-exchange.ts'

/** The parts of a request besides its token. */
export interface RequestParts {
  readonly headers?: Readonly<Record<string, string>>
  readonly roles?: readonly string[]
}

/** The result of a request: the answer, or `undefined` when it continues. */
export interface Sent {
  readonly exchange: Exchange
  readonly answer: WireAnswer | undefined
}

/** A validator under test with everything around it. */
export interface TestValidator {
  readonly plugin: PipelinePlugin
  readonly context: TestContext
  /** Sends a request with a bearer token, or without any header. */
  send(token: string | undefined, parts?: RequestParts): Promise<Sent>
  /** Passes a request to the plugin and returns its result, promise or not. */
  request(token: string): StepResult | Promise<StepResult>
  close(): Promise<void>
}

/** Options of a configuration file, with defaults. */
export function makeOptions(options: Record<string, unknown>): TokenValidatorOptions {
  return tokenValidatorSection.parse(options)
}

/** An issuer of a configuration file: keys by address, audience `agentic`, only EdDSA; `more` overrides keys. */
export function registered({ url, jwksUri, key }: IssuerServer, more: Record<string, unknown> = {}) {
  return { issuer: url, jwks_uri: jwksUri, audience: ['agentic'], algorithms: [key.algorithm], ...more }
}

/** Creates the plugin with real look-ups. */
export function makeValidator(
  options: Record<string, unknown>,
  overrides: Partial<PipelineContext> = {},
): TestValidator {
  const context = makeContext(overrides)
  const plugin = tokenValidator(makeOptions(options), context)
  return {
    plugin,
    context,
    async send(token, parts = {}) {
      const exchange = exchangeWith(token, parts)
      return { exchange, answer: answerOf(await plugin.request(exchange), exchange) }
    },
    request: (token) => plugin.request(exchangeWith(token, {})),
    async close() {
      await plugin.close?.()
      await context.close()
    },
  }
}

function exchangeWith(token: string | undefined, { headers = {}, roles = [] }: RequestParts): Exchange {
  const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  return makeExchange({
    headers: makeHeaders({ ...authorization, ...headers }),
    route: makeRoute({ roles: [...roles] }),
  })
}

const STATUS = { error: 401, forbidden: 403, conflict: 409, failed_dependency: 424 }

/** The whole answer of a code. */
export function refusedWith(code: ErrorCode): WireAnswer {
  const { type, message } = errorCodeRow(code)
  return {
    status: STATUS[type],
    mediaType: 'application/vnd.agentic.error+json',
    body: { type, code, message, trace: { correlationId: 'corr-1', requestId: 'req-1' } },
  }
}
