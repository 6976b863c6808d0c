import {
  type ClarificationRequired,
  type FailedDependency,
  headerKeys,
  headers as headerNames,
} from '@agentic-rest/profile'
import type { IdempotencyOptions, RouteConfig } from '../config/config-schema.ts'
import { errorCodes, invalidRequest, refusal } from '../errors.ts'
import { type Exchange, type KeyClaim, type KeyEnd, type StepResult, unlessCancelled } from '../exchange.ts'
import { fingerprint, keyDigest } from '../idempotency/fingerprint.ts'
import type { HeldKey, KeyTerms } from '../idempotency/key-state.ts'
import type { KeyAnswer, KeyStore } from '../idempotency/key-store.ts'
import { LimitReachedError, refuse } from '../limits/refuse.ts'
import { endOfStatus } from './keep-answer.ts'
import type { Parts } from './parts.ts'
import { replay } from './replay.ts'

/** The rest of the way of a request: to its service and back. */
type Call = (exchange: Exchange, parts: Parts) => Promise<StepResult>

interface Keyed {
  readonly route: RouteConfig
  readonly options: IdempotencyOptions
  readonly call: Call
}

/** Calls the service once for each idempotency key, on routes that keep keys at the gateway. */
export function callOnce(exchange: Exchange, parts: Parts, call: Call): Promise<StepResult> {
  const { route } = exchange
  const options = route?.idempotency
  if (route === undefined || options === undefined || options.mode === 'off') return call(exchange, parts)
  return callByKey(exchange, parts, { route, options, call })
}

/** Up to 255 visible characters, as clients and services of other makers have them. */
const KEY = /^[!-~]{1,255}$/

async function callByKey(exchange: Exchange, parts: Parts, keyed: Keyed): Promise<StepResult> {
  const { options, call } = keyed
  exchange.step = 'idempotency'
  // An empty key counts as absent, as everywhere.
  const key = exchange.headers[headerKeys.idempotencyKey] ?? ''
  if (key === '') return options.mode === 'required' ? keyRequired() : await call(exchange, parts)
  if (!KEY.test(key))
    return invalidRequest(headerNames.idempotencyKey, 'must have 1 to 255 visible ASCII characters')
  const body = await readBody(exchange, parts)
  if (!Buffer.isBuffer(body)) return body
  const answer = await parts.keys.claim(termsOf(exchange, keyed, { key, body }))
  exchange.trail?.end('idempotency')
  count(answer, keyed, parts)
  return await answerClaim(exchange, parts, { ...keyed, answer })
}

/** The whole body has to be known before the request is sent: it is part of the fingerprint. */
async function readBody(exchange: Exchange, { snapshot }: Parts): Promise<Buffer | NonNullable<StepResult>> {
  const { body, signal } = exchange
  try {
    const bytes = await unlessCancelled(body.read(snapshot.config.gateway.limits.max_body_bytes), signal)
    if (bytes !== undefined) return bytes
    exchange.limit = 'max_body_bytes'
    return refusal('BODY_TOO_LARGE')
  } catch (error) {
    if (error instanceof LimitReachedError) return refuse(exchange, error.limit)
    throw error
  }
}

function termsOf(
  exchange: Exchange,
  { route, options }: Keyed,
  { key, body }: { readonly key: string; readonly body: Buffer },
): KeyTerms {
  const { method, path, query, headers, identity, tenantId = '' } = exchange
  const { issuer = '', subject = '' } = identity ?? {}
  const contentType = headers[headerKeys.contentType]
  return {
    digest: keyDigest(tenantId, route.id, key),
    tenantId,
    binding: fingerprint({ method, path, query, contentType, body, issuer, subject }),
    ttlMs: options.ttlSeconds * 1000,
    resends: options.onUnknown === 'resend',
  }
}

function count(answer: KeyAnswer, { route }: Keyed, { metrics }: Parts): void {
  metrics.keyJudged(route.id, answer.type)
  if (answer.type === 'claimed' && answer.dropped === true) metrics.keyJudged(route.id, 'dropped')
}

async function answerClaim(
  exchange: Exchange,
  parts: Parts,
  { answer, options, call }: Keyed & { readonly answer: KeyAnswer },
): Promise<StepResult> {
  switch (answer.type) {
    case 'claimed':
      exchange.keyClaim = new Claim(parts.keys, answer.held, options)
      return await callClaimed(exchange, parts, { claim: exchange.keyClaim, call })
    case 'replayed':
      return await replay(exchange, answer.answer, parts)
    case 'in_progress':
      return refusal('IDEMPOTENCY_IN_PROGRESS')
    case 'mismatch':
      return invalidRequest(
        headerNames.idempotencyKey,
        'was used for another request or by another caller; use a new key',
      )
    case 'unknown':
      return refusal('IDEMPOTENCY_OUTCOME_UNKNOWN')
    case 'not_replayable':
      return refusal('IDEMPOTENCY_NOT_REPLAYABLE')
    case 'store_error':
      if (options.mode !== 'required') return await call(exchange, parts)
      exchange.cause = answer.cause
      return keysUnavailable()
  }
}

interface Claimed {
  readonly claim: KeyClaim
  readonly call: Call
}

/** A client that leaves does not end the call: its outcome is stored for the retry. */
async function callClaimed(exchange: Exchange, parts: Parts, { claim, call }: Claimed): Promise<StepResult> {
  exchange.signal.outlivesClient = true
  try {
    exchange.signal.throwIfAborted()
    const outcome = await call(exchange, parts)
    await claim.settle(endOf(exchange, outcome?.type === 'failed_dependency'))
    return outcome
  } catch (error) {
    await claim.settle(endOf(exchange, true))
    throw error
  }
}

/** The end of a key that no complete answer has settled. */
function endOf({ upstreamStatus, sendCount }: Exchange, isCutOff: boolean): KeyEnd {
  if (upstreamStatus === undefined) return { type: sendCount > 0 ? 'unknown' : 'free' }
  return endOfStatus(upstreamStatus) ?? { type: isCutOff ? 'unknown' : 'not_replayable' }
}

class Claim implements KeyClaim {
  readonly sendsOnce: boolean
  readonly maxStoredBytes: number
  readonly #keys: KeyStore
  readonly #held: HeldKey
  #isSettled = false

  constructor(keys: KeyStore, held: HeldKey, { onUnknown, maxStoredBytes }: IdempotencyOptions) {
    this.#keys = keys
    this.#held = held
    this.sendsOnce = onUnknown === 'refuse'
    this.maxStoredBytes = maxStoredBytes
  }

  async settle(end: KeyEnd): Promise<void> {
    if (this.#isSettled) return
    this.#isSettled = true
    await this.#keys.settle(this.#held, end)
  }
}

/** The outcome for a keyed request while the keys cannot be read. */
function keysUnavailable(): FailedDependency {
  const { type } = errorCodes.STORE_UNAVAILABLE
  return {
    type,
    code: 'STORE_UNAVAILABLE',
    message: 'The gateway cannot reach the store of idempotency keys.',
  }
}

/** The outcome for a request without the key that its route needs. */
function keyRequired(): ClarificationRequired {
  return {
    type: 'clarification_required',
    message: 'The operation needs an idempotency key.',
    requiredInputs: [
      {
        name: headerNames.idempotencyKey,
        location: 'header',
        type: 'string',
        required: true,
        question:
          'Which key identifies this request? Choose a new one, such as a UUID, and send the same key with each retry.',
      },
    ],
  }
}
