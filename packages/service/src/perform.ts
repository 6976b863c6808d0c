import { headers, type Outcome } from '@agentic-rest/profile'
import { type Answer, endWith, goOn, type Step } from './answer.ts'
import { type ApprovalDetail, type Approved, approve, whyNotUsed } from './approve.ts'
import { eventTypes } from './audit/request-record.ts'
import { cancelOperationOf, type Durable } from './durable.ts'
import { createEffect, type Effect, GateLostError, orLost } from './effect.ts'
import type { Caller } from './http/caller.ts'
import { accepted, success } from './make-outcome.ts'
import type { Operation } from './operation.ts'
import { invalidAt, refusal, tooManyOpen } from './refusals.ts'
import type { GivenApproval, RequestContext, RunContext } from './run-context.ts'
import type { Claim, Job, Scope } from './runtime/contract.ts'
import { OpenLimitError } from './runtime/open-limit.ts'
import { giveUp, RawResponse } from './stream/raw.ts'
import { type EventSink, runToEnd } from './stream/run-to-end.ts'

/** A request with valid inputs. */
interface Performance {
  readonly operation: Operation
  readonly context: RequestContext
  readonly scope: Scope
  /** The digest of the exact request; keys and approvals are bound to it. */
  readonly digest: string
  /** The tokens of the request, for this service or for inner agents. */
  readonly approvalTokens: readonly string[]
  /** The request as a job; absent if the operation never runs in the background. */
  readonly job: Job | undefined
  /** Whether the caller asks for 202. */
  readonly prefersAsync: boolean
  readonly durable: Durable
  /** Receives the events of the run, after the headers of the answer. */
  readonly events: RunEvents
  /** The prefix of the built-in paths. */
  readonly publicPath: string
  /** The part of an approval that shows the request and its way. */
  readonly approvalDetail: () => ApprovalDetail
  /** Called with the token for this service, which is then not forwarded. */
  readonly ownApproval: (token: string) => void
}

/** The events of a run. */
export interface RunEvents extends Pick<EventSink, 'push'> {
  /** Whether the caller accepts a stream. */
  readonly isAccepted: boolean
  open(headers: Answer['headers']): void
}

/** The scope of a key: equal keys of different tenants or operations are different keys (decision 30). */
export function scopeOf(
  { tenant, subject, issuer }: Pick<Caller, 'tenant' | 'subject' | 'issuer'>,
  { id }: Operation,
): Scope {
  return { tenantId: tenant, operation: id, requester: subject ?? '', issuer }
}

type Claimed = Extract<Claim, { kind: 'claimed' }>

/** Performs a request: idempotency key, `check`, approval, then the run, now or in the background. */
export async function perform(performance: Performance): Promise<Answer> {
  const claim = await claimKey(performance)
  if (!claim.ok) return claim.answer
  let isKept = false
  try {
    const done = await performClaimed(performance, claim.value)
    isKept = done.isKept
    return done.answer
  } finally {
    // Without an effect the key becomes free again, so that the request can be clarified, approved or retried.
    if (!isKept) await release(performance, claim.value)
  }
}

async function claimKey({
  operation,
  context,
  scope,
  digest,
  durable,
}: Performance): Promise<Step<Claimed | undefined>> {
  const { idempotencyKey } = context
  if (!operation.idempotent || idempotencyKey === undefined) return goOn(undefined)
  const claim = await (await durable.idempotency()).claim(scope, idempotencyKey, digest)
  switch (claim.kind) {
    case 'claimed':
      return goOn(claim)
    case 'replay':
      return endWith(claim.stored.outcome, { ...claim.stored.headers, [headers.idempotencyReplayed]: 'true' })
    case 'in_progress':
      return endWith(refusal('IDEMPOTENCY_IN_PROGRESS'))
    case 'mismatch':
      return endWith(invalidAt(headers.idempotencyKey, 'The key was used for another request.'))
  }
}

async function release({ context }: Performance, claim: Claimed | undefined): Promise<void> {
  try {
    await claim?.release()
  } catch (cause) {
    context.log.warn('an idempotency key could not be freed; it is free when its lease ends', { cause })
  }
}

interface Done {
  readonly answer: Answer
  readonly isKept: boolean
}

async function performClaimed(given: Performance, claim: Claimed | undefined): Promise<Done> {
  const performance = { ...given, job: await chosenJob(given) }
  const { operation, context, scope, digest, durable, job } = performance
  const objection = await operation.check?.({ ...context, prefersAsync: job !== undefined })
  if (objection !== undefined) return { answer: { outcome: objection, headers: {} }, isKept: false }
  const gate = await approve({
    operation,
    context,
    scope,
    digest,
    tokens: performance.approvalTokens,
    durable,
    approvalsPath: `${performance.publicPath}/approvals`,
    approvalDetail: performance.approvalDetail,
  })
  if (!gate.ok) return { answer: gate.answer, isKept: false }
  return performApproved(performance, { claim, approval: gate.value })
}

/** The job, if the service or the caller chooses the background (decision 43). */
async function chosenJob({ operation, context, job, prefersAsync }: Performance): Promise<Job | undefined> {
  const choice = typeof operation.async === 'function' ? await operation.async(context) : undefined
  return (choice ?? prefersAsync) ? job : undefined
}

async function performApproved(performance: Performance, gates: Gates): Promise<Done> {
  const { approval } = gates
  if (approval !== undefined) performance.ownApproval(approval.token)
  let isKept = false
  try {
    const done = await doWork(performance, gates)
    isKept = done.isKept
    return done
  } catch (error) {
    if (!(error instanceof GateLostError)) throw error
    return { answer: await lost(performance, error, approval), isKept: false }
  } finally {
    // A refused attempt does not use up a valid token (decision 13).
    if (!isKept && approval !== undefined) await releaseApproval(performance, approval)
  }
}

async function releaseApproval({ context }: Performance, { reservation }: Approved): Promise<void> {
  try {
    await reservation.release()
  } catch (cause) {
    context.log.warn('an approval could not be freed; it is free when its lease ends', { cause })
  }
}

interface Gates {
  readonly claim: Claimed | undefined
  readonly approval: Approved | undefined
}

async function doWork(performance: Performance, gates: Gates): Promise<Done> {
  const added = new Map<string, string>()
  const answerHeaders = () => Object.fromEntries(added)
  const { durable, context } = performance
  const job = jobFor(performance, gates)
  const effect = createEffect({
    claim: gates.claim,
    // For a background job the effect of the job redeems the approval, not its 202.
    approval: job === undefined ? gates.approval?.reservation : undefined,
    store: durable.store,
    trace: context.trace,
    headers: answerHeaders,
  })
  const setHeader = (name: string, value: string) => {
    // `Headers` throws for an invalid header, before anything is committed.
    for (const [key, text] of new Headers([[name, value]])) added.set(key, text)
  }
  const { events } = performance
  const sink = { open: () => events.open(answerHeaders()), push: events.push }
  const doing = { effect, setHeader, approval: gates.approval, sink }
  const outcome =
    job === undefined
      ? await runNow(performance, doing)
      : await orTooMany(() => acceptJob(performance, doing, job))
  if (outcome instanceof RawResponse) return passOn(outcome, gates, answerHeaders())
  const isKept = effect.kept() !== undefined
  if (isKept && job === undefined && gates.approval !== undefined)
    recordUsed(context, gates.approval, outcome)
  return { answer: { outcome, headers: answerHeaders() }, isKept }
}

/** A foreign answer cannot be stored, so neither a key nor an approval could be kept with it. */
function passOn(foreign: RawResponse, { claim, approval }: Gates, own: Answer['headers']): Done {
  if (claim !== undefined || approval !== undefined)
    throw giveUp(foreign, 'raw cannot answer a request with an idempotency key or an approval')
  return { answer: { outcome: success(null), headers: own, raw: foreign.response }, isKept: false }
}

function recordUsed({ audit }: RequestContext, approval: Approved, { type }: Outcome): void {
  const { approvalId, shownDigest } = approval
  audit.emit({
    event_type: eventTypes.approvalUsed,
    outcome: type,
    attributes: { approval_id: approvalId, digest: shownDigest, status: 'used' },
  })
}

/**
 * Tokens for inner agents are not stored with a job. A request with such a token runs while its caller waits: a
 * preference need not be honoured (RFC 7240, section 2).
 */
function jobFor({ job, approvalTokens }: Performance, { approval }: Gates): Job | undefined {
  return approvalTokens.some((token) => token !== approval?.token) ? undefined : job
}

interface Doing extends Pick<RunContext, 'setHeader'> {
  readonly effect: Effect
  readonly approval: Approved | undefined
  readonly sink: EventSink
}

async function runNow(performance: Performance, doing: Doing) {
  const { context } = performance
  const { effect } = doing
  const outcome = await runOrKept(performance, doing)
  if (outcome instanceof RawResponse) return outcome
  await effect.settle(outcome)
  const kept = effect.kept()
  if (kept === undefined || kept === outcome) return outcome
  // The answer must be the committed outcome, because a replay of the key returns that one.
  context.log.error('run returned another outcome than it had committed', { returned: outcome.type })
  return kept
}

/** Runs the operation. If it throws after its commit, the committed outcome is the answer. */
async function runOrKept(
  { operation, context, durable, events }: Performance,
  { effect, setHeader, approval, sink }: Doing,
): Promise<Outcome | RawResponse> {
  const runContext: RunContext = {
    ...context,
    operationId: undefined,
    setHeader,
    approval: approval && pickGiven(approval),
    acceptsStream: events.isAccepted,
    commit: effect.commit,
    progress: async () => undefined,
    cancelOperation: cancelOperationOf(context.tenant, durable),
  }
  try {
    return await runToEnd(operation, runContext, sink)
  } catch (cause) {
    const kept = effect.kept()
    if (kept === undefined) throw cause
    context.log.error('run failed after it had committed', { cause })
    return kept
  }
}

function pickGiven({ approvalId, decidedBy, decidedByIssuer }: Approved): GivenApproval {
  return { approvalId, decidedBy, decidedByIssuer }
}

/** Commits the job, its approval, the reservations of `accept` and the stored 202 before the 202 is sent. */
async function acceptJob(
  { operation, context, durable, publicPath, prefersAsync }: Performance,
  { effect, setHeader, approval }: Doing,
  job: Job,
) {
  const operations = await durable.operations()
  return effect.commit(async (sql): Promise<Outcome> => {
    const { approvalId, decidedBy: approvedBy, decidedByIssuer: approvedByIssuer } = approval ?? {}
    const given = {
      approvalId,
      approvedBy,
      approvedByIssuer,
      requestedFor: operation.requestedFor?.(context),
    }
    const { operationId } = await operations.accept(sql, { ...job, ...given })
    await orLost('approval', () => approval?.reservation.hand(sql, operationId))
    const objection = await operation.accept?.({ ...context, operationId }, sql)
    if (objection !== undefined) return objection
    await operations.assertWithinLimit(sql, job.scope.tenantId)
    // Only for a stated preference (RFC 7240, section 3).
    if (prefersAsync) setHeader('Preference-Applied', 'respond-async')
    return accepted({ operationId, statusUrl: `${publicPath}/operations/${operationId}/status` })
  })
}

async function orTooMany(accept: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await accept()
  } catch (error) {
    if (error instanceof OpenLimitError) return tooManyOpen(error.limit)
    throw error
  }
}

/** The answer after a lost race, by the current state of the store. */
async function lost(
  performance: Performance,
  error: GateLostError,
  approval: Approved | undefined,
): Promise<Answer> {
  if (error.gate === 'approval' && approval !== undefined)
    return { outcome: await whyNotUsed(performance, approval), headers: {} }
  const again = await claimKey(performance)
  if (!again.ok) return again.answer
  await release(performance, again.value)
  throw error
}
