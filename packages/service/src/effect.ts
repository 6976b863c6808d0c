import { type Outcome, type Trace, writeOutcome } from '@agentic-rest/profile'
import type { Answer } from './answer.ts'
import type { Claim, Reservation } from './runtime/contract.ts'
import type { Sql, Store } from './runtime/store.ts'
import { TakenOverError } from './runtime/store.ts'

type Claimed = Extract<Claim, { kind: 'claimed' }>

/** The parts that are committed in one transaction with the effect of a request. */
interface EffectOptions {
  readonly store: () => Promise<Store>
  readonly trace: Trace
  readonly claim: Claimed | undefined
  /** Absent if the approval is handed to a background operation. */
  readonly approval: Reservation | undefined
  /** The headers stored with the outcome. */
  readonly headers: () => Answer['headers']
}

/** The single effect of a request. */
export interface Effect {
  commit<Result extends Outcome>(work: (sql: Sql) => Promise<Result>): Promise<Result>
  /** After a run without `commit`: stores the outcome and redeems the approval. */
  settle(outcome: Outcome): Promise<void>
  /** The committed outcome, if there is one. */
  kept(): Outcome | undefined
}

/** Another request has taken the key or the approval during the run; the transaction was rolled back. */
export class GateLostError extends Error {
  override readonly name = 'GateLostError'
  readonly gate: 'claim' | 'approval'

  constructor(gate: 'claim' | 'approval', cause: unknown) {
    super(`the ${gate} of the request was lost while it ran`, { cause })
    this.gate = gate
  }
}

/** Rolls a transaction back and carries its outcome. */
export class RolledBack extends Error {
  override readonly name = 'RolledBack'
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super('the outcome is not a success, so its transaction is rolled back')
    this.outcome = outcome
  }
}

/** Whether an outcome has an effect. All others leave the key and the approval free (decision 30). */
export function isKept({ type }: Outcome): boolean {
  return type === 'success' || type === 'created' || type === 'accepted'
}

/** Creates the effect of one request. */
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

/** Redeems the approval first: its row lock makes a second request wait, and then fail before its work. */
async function keepTogether<Result extends Outcome>(
  { approval, claim, trace, headers }: EffectOptions,
  sql: Sql,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  await orLost('approval', () => approval?.redeem(sql))
  const outcome = await work(sql)
  if (!isKept(outcome)) throw new RolledBack(outcome)
  // An outcome that cannot be encoded must not be stored: it could never be sent.
  writeOutcome(outcome, trace)
  await orLost('claim', () => claim?.complete(sql, { outcome, headers: headers() }))
  return outcome
}

/** Turns a `TakenOverError` into a `GateLostError` with the name of the gate. */
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

/** Runs a transaction; after a rollback by `RolledBack` it returns that outcome. */
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
