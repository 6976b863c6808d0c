import { headers } from '@agentic-rest/profile'
import { type Answer, endWith, goOn, type Step } from './answer.ts'
import { type Approved, approve } from './approve.ts'
import type { Durable } from './durable.ts'
import { createEffect, type Effect, GateLostError } from './effect.ts'
import { accepted } from './make-outcome.ts'
import type { Operation } from './operation.ts'
import { invalidAt, refusal } from './refusals.ts'
import type { RequestContext, RunContext } from './run-context.ts'
import type { Claim, Job, Scope } from './runtime/contract.ts'

/** A request whose inputs are good: all that is left is to do it, once. */
export interface Performance {
  readonly operation: Operation
  readonly context: RequestContext
  readonly scope: Scope
  /** The digest of the exact request: what a key and an approval are bound to. */
  readonly digest: string
  readonly approvalToken: string | undefined
  /** Set when the caller wants to poll instead of waiting. */
  readonly job: Job | undefined
  readonly durable: Durable
  /** The path in front of the paths that the service has for itself. */
  readonly publicPath: string
  /** Called when the approval token turns out to be for this service: it is then not passed on. */
  readonly ownApproval: () => void
}

type Claimed = Extract<Claim, { kind: 'claimed' }>

/** Does the request: idempotency key, approval, then now or in the background. */
export async function perform(performance: Performance): Promise<Answer> {
  const claim = await claimKey(performance)
  if (!claim.ok) return claim.answer
  let isKept = false
  try {
    const done = await performClaimed(performance, claim.value)
    isKept = done.isKept
    return done.answer
  } finally {
    // What had no effect leaves the key free, so that the request can be clarified, approved or sent again.
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

async function performClaimed(performance: Performance, claim: Claimed | undefined): Promise<Done> {
  const { operation, context, scope, digest, durable } = performance
  const gate = await approve({
    operation,
    context,
    scope,
    digest,
    token: performance.approvalToken,
    durable,
    approvalsPath: `${performance.publicPath}/approvals`,
  })
  if (!gate.ok) return { answer: gate.answer, isKept: false }
  if (gate.value !== undefined) performance.ownApproval()
  try {
    return await doWork(performance, { claim, approval: gate.value })
  } catch (error) {
    if (error instanceof GateLostError) return { answer: await lost(performance, error), isKept: false }
    throw error
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
  const effect = createEffect({
    ...gates,
    store: durable.store,
    trace: context.trace,
    headers: answerHeaders,
  })
  const setHeader = (name: string, value: string) => {
    // Throws here, before anything is kept, for what cannot be a header.
    for (const [key, text] of new Headers([[name, value]])) added.set(key, text)
  }
  const outcome =
    performance.job === undefined
      ? await runNow(performance, { effect, setHeader, approval: gates.approval })
      : await acceptJob(performance, { effect, setHeader, approval: gates.approval }, performance.job)
  return { answer: { outcome, headers: answerHeaders() }, isKept: effect.kept() !== undefined }
}

interface Doing extends Pick<RunContext, 'setHeader'> {
  readonly effect: Effect
  readonly approval: Approved | undefined
}

async function runNow({ operation, context }: Performance, { effect, setHeader, approval }: Doing) {
  const outcome = await operation.run({
    ...context,
    setHeader,
    approval: approval && { approvalId: approval.approvalId, decidedBy: approval.decidedBy },
    commit: effect.commit,
    progress: async () => undefined,
  })
  await effect.settle(outcome)
  const kept = effect.kept()
  if (kept === undefined || kept === outcome) return outcome
  // The caller has to hear what was kept: a replay of the key would say the same.
  context.log.error('run returned another outcome than it had committed', { returned: outcome.type })
  return kept
}

/** The job, the redeemed approval and the stored 202 are kept before the 202 is sent. */
async function acceptJob(
  { durable, publicPath }: Performance,
  { effect, setHeader, approval }: Doing,
  job: Job,
) {
  const operations = await durable.operations()
  setHeader('Preference-Applied', 'respond-async')
  return effect.commit(async (sql) => {
    const { operationId } = await operations.accept(sql, { ...job, approvalId: approval?.approvalId })
    return accepted({ operationId, statusUrl: `${publicPath}/operations/${operationId}/status` })
  })
}

/** Another request was faster. What the store says now is what this one is answered with. */
async function lost(performance: Performance, error: GateLostError): Promise<Answer> {
  if (error.gate === 'approval') return lostApproval(performance, error)
  const again = await claimKey(performance)
  if (!again.ok) return again.answer
  await release(performance, again.value)
  throw error
}

async function lostApproval(performance: Performance, error: GateLostError): Promise<Answer> {
  const { scope, digest, approvalToken = '', durable } = performance
  const check = await (await durable.approvals()).check(scope, digest, approvalToken)
  if (check.kind === 'approved') throw error
  return { outcome: refusal('APPROVAL_INVALID'), headers: {} }
}
