import type { Judgement } from './judge-answer.ts'

/** The counts so far. */
export interface Tally {
  /** Requests that got an answer. */
  readonly requests: number
  answer(status: number, maker: Judgement['maker']): void
  count(what: string): void
  /** Counts a fault and prints its first examples. */
  blame(fault: string, example: string): void
  faults(fault: string): number
  /** Everything in one line. */
  summary(): string
}

const TOLD_PER_FAULT = 5

/** Creates a tally of zeros. */
export function createTally(tell: (line: string) => void): Tally {
  let requests = 0
  const counts = new Map<string, number>()
  const faults = new Map<string, number>()
  const add = (map: Map<string, number>, key: string) => {
    const count = (map.get(key) ?? 0) + 1
    map.set(key, count)
    return count
  }
  return {
    get requests() {
      return requests
    },
    answer(status, maker) {
      requests += 1
      add(counts, `${maker} ${status}`)
    },
    count: (what) => void add(counts, what),
    blame(fault, example) {
      if (add(faults, fault) <= TOLD_PER_FAULT) tell(`${fault}: ${example}`)
    },
    faults: (fault) => faults.get(fault) ?? 0,
    summary: () =>
      [...[...counts].toSorted(([first], [second]) => first.localeCompare(second)), ...faults]
        .map(([what, count]) => `${what}: ${count}`)
        .join(', '),
  }
}
