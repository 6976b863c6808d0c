import { formatFaults } from '../config/faults.ts'
import type { ConfigResult } from '../config/parse-config.ts'
import { fixedKeyFaults } from '../lifetime/fixed-keys.ts'
import { inTurn } from '../lifetime/in-turn.ts'
import { type ConfigSource, type ReloadResult, report, resultOf, WARM_MS } from '../lifetime/reload.ts'
import { settledWithin } from '../lifetime/settled-within.ts'
import type { Log } from '../log.ts'
import type { Member } from './member.ts'
import type { PrimaryMetrics } from './primary-metrics.ts'
import { createReloadRound, type ReloadRound } from './reload-round.ts'

/** A configuration that is valid, with its text. */
export type ValidConfig = Extract<ConfigResult, { readonly ok: true }>

/** Reloads all workers or none. */
export interface ReloadTogether {
  readonly last: ReloadResult | undefined
  run(): Promise<ReloadResult>
  /** What stands against the configuration in one worker; resolves with what stands against it in any. */
  vote(member: Member, faults: readonly string[]): Promise<readonly string[]>
  /** A worker is gone and votes no more. */
  leave(member: Member): void
}

/** What it works on. */
export interface ReloadTogetherParts {
  readonly source: ConfigSource
  readonly current: () => ValidConfig
  /** All workers have it. */
  readonly use: (loaded: ValidConfig) => void
  readonly members: () => Iterable<Member>
  readonly turns: <T>(work: () => Promise<T>) => Promise<T>
  readonly metrics: PrimaryMetrics
  readonly log: Log
}

const ROUND_MS = WARM_MS + 10_000
const SETTLE_MS = 1000

/** Makes it. The file is read and judged once; each worker then makes it ready, and all of them use it or none does. */
export function createReloadTogether(parts: ReloadTogetherParts): ReloadTogether {
  const { source, current, use, members, turns, metrics, log } = parts
  let round: ReloadRound<Member> | undefined
  let last: ReloadResult | undefined
  const putInUse = async (loaded: ValidConfig) => {
    if (round !== undefined) return ['a worker has not answered the reload before']
    const voters = [...members()]
    const votes = createReloadRound(voters, ROUND_MS)
    round = votes
    // Settled from the start: a worker that dies before the verdict would be a rejection that nobody handles.
    const reloads = Promise.allSettled(
      voters.map(({ process }) => process.channel.ask('reload', loaded.text)),
    ).then(() => {
      round = undefined
    })
    const faults = await votes.verdict
    // From here on a worker that starts gets it, and one that died on the way is replaced by such a one.
    if (faults.length === 0) use(loaded)
    // One that is stuck hears the verdict when it wakes; until then the places of others can be filled.
    await settledWithin(SETTLE_MS, reloads)
    return faults
  }
  const reload = async () => {
    const loaded = source.read()
    const faults = loaded.ok ? fixedKeyFaults(current().config, loaded, source.file) : loaded.faults
    const against =
      loaded.ok && faults.length === 0 ? await putInUse(loaded) : formatFaults(faults).split('\n')
    last = resultOf(against)
    report(last, { source, routes: current().config.routes.length, metrics, log })
    return last
  }
  return {
    get last() {
      return last
    },
    run: inTurn(() => turns(reload)),
    vote: async (member, faults) => (await round?.vote(member, faults)) ?? faults,
    leave: (member) => round?.leave(member),
  }
}
