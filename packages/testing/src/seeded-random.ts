/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export type Random = () => number

/** The seed of this run, printed so that a failing run can be repeated. */
export function printedSeed(title: string): number {
  const seed = Number(process.env['SEED'])
  process.stdout.write(`${title}: SEED=${seed}\n`)
  return seed
}

/** Makes the numbers of a seed. */
export function seededRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
}
