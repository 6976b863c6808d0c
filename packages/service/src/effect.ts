import { type Outcome, type Trace, writeOutcome } from '@agentic-rest/profile'
import type { Answer } from './answer.ts'
import type { Claim, Reservation } from './runtime/contract.ts'
import type { Sql, Store } from './runtime/store.ts'
import { TakenOverError } from './runtime/store.ts'

type Claimed = Extract<Claim, { kind: 'claimed' }>

/** What has to be kept or lost together with the effect of a request. */
interface EffectOptions {
  readonly store: () => Promise<Store>
  readonly trace: Trace
  readonly claim: Claimed | undefined
  /** Left out where the approval is handed on instead of used up. */
  readonly approval: Reservation | undefined
  /** The headers that are kept with the outcome. */
  readonly headers: () => Answer['headers']
}

/** The one effect that a request may have. */
export interface Effect {
  commit<Result extends Outcome>(work: (sql: Sql) => Promise<Result>): Promise<Result>
  /** For a run that returned without `commit`: keeps its outcome and redeems the approval. */
  settle(outcome: Outcome): Promise<void>
  /** The outcome that was kept, once there is one. */
  kept(): Outcome | undefined
}

/** The key or the approval of a request was taken by another request while this one ran; nothing of it was kept. */
export class GateLostError extends Error {
  override readonly name = 'GateLostError'
  readonly gate: 'claim' | 'approval'

  constructor(gate: 'claim' | 'approval', cause: unknown) {
    super(`the ${gate} of the request was lost while it ran`, { cause })
    this.gate = gate
  }
}

/** Carries an outcome out of a transaction that must not be kept. */
export class RolledBack extends Error {
  override readonly name = 'RolledBack'
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super('the outcome is no success, so its transaction is rolled back')
    this.outcome = outcome
  }
}

/** Only these had an effect; all others leave the key and the approval free (decision 30). */
export function isKept({ type }: Outcome): boolean {
  return type === 'success' || type === 'created' || type === 'accepted'
}

/** Makes the effect of one request. */
export function createEffect(options: EffectOptions): Effect {
  let begun = false
  let kept: Outcome | undefined
  const commit: Effect['commit'] = async (work) => {
    if (begun) throw new TypeError('commit can be called once in a run')
    begun = true
    const store = await options.store()
    const outcome = await orRolledBack(() => store.transaction((sql) => keepTogether(options, sql, work)))
    if (isKept(outcome)) kept = outcome
    return outcome
  }
  return {
    commit,
    async settle(outcome) {
      const nothingToKeep = options.claim === undefined && options.approval === undefined
      if (begun || nothingToKeep || !isKept(outcome)) return
      await commit(async () => outcome)
    },
    kept: () => kept,
  }
}

/** The approval goes first: who comes second waits for it and then has no effect at all. */
async function keepTogether<Result extends Outcome>(
  { approval, claim, trace, headers }: EffectOptions,
  sql: Sql,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  await orLost('approval', () => approval?.redeem(sql))
  const outcome = await work(sql)
  if (!isKept(outcome)) throw new RolledBack(outcome)
  // An outcome that cannot be written must not be kept: it could never be answered.
  writeOutcome(outcome, trace)
  await orLost('claim', () => claim?.complete(sql, { outcome, headers: headers() }))
  return outcome
}

/** Says which gate was lost, when it was. */
export async function orLost(
  gate: GateLostError['gate'],
  pass: () => Promise<void> | undefined,
): Promise<void> {
  try {
    await pass()
  } catch (error) {
    throw error instanceof TakenOverError ? new GateLostError(gate, error) : error
  }
}

/** Runs a transaction; an outcome that rolled it back is its result. */
export async function orRolledBack<Result extends Outcome>(
  transaction: () => Promise<Result>,
): Promise<Result> {
  try {
    return await transaction()
  } catch (error) {
    if (error instanceof RolledBack) return error.outcome as Result
    throw error
  }
}
