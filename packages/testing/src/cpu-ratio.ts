/** Some work, finished when it returns or its promise resolves. */
export type Work = () => unknown

/** A test that fails has measured so often and for so long; most pass with the first round. */
const LEAST_ROUNDS = 9
const LEAST_WORK_MS = 400
/** A round repeats shorter work: in a few microseconds little but the measurement itself is measured. */
const LEAST_ROUND_MS = 2
const MEBIBYTE = 1_048_576
const referenceText = Buffer.alloc(MEBIBYTE, 'a').toString()

/** Work to compare with other work. */
export interface Comparison {
  readonly work: Work
  readonly reference: Work
  /** The limit of the test. Rounds are added as long as the ratio is not below it. */
  readonly below: number
}

/**
 * The CPU time of some work as a multiple of the CPU time of a reference. Both run in turns in this process and their
 * medians are compared, so that a slow or a busy machine changes both in the same way.
 */
export async function cpuRatio({ work, reference, below }: Comparison): Promise<number> {
  const first = await cpuMs(work, 1)
  const repeats = repeatsOf(first)
  // The first run also compiles. Work that takes long hardly notices, and is not run again for it.
  const workTimes = repeats === 1 ? [first] : []
  const referenceRepeats = repeatsOf(await cpuMs(reference, 1))
  const referenceTimes: number[] = []
  let ratio = Number.NaN
  let workMs = 0
  // Short work goes on for a while: on a busy machine V8 takes its time to optimise it.
  for (let round = 1; !(ratio < below) && (round <= LEAST_ROUNDS || workMs < LEAST_WORK_MS); round += 1) {
    referenceTimes.push(await cpuMs(reference, referenceRepeats))
    if (workTimes.length < round) workTimes.push(await cpuMs(work, repeats))
    workMs += repeats * (workTimes.at(-1) ?? 0)
    ratio = median(workTimes) / median(referenceTimes)
  }
  return ratio
}

/** The CPU time of some work as a multiple of the time to read a MiB of text character by character. */
export async function timesOfReference({ work, below }: Omit<Comparison, 'reference'>): Promise<number> {
  return await cpuRatio({ work, reference: readReference, below })
}

/** Work on an input of some size. */
export interface SizedWork {
  /** Makes the input of a size, and returns the work on it. */
  readonly workOf: (size: number) => Work
  /** The larger of the two sizes; the smaller one is an eighth of it. */
  readonly size: number
}

const PARTS = 8
/** The limit for work in linear time: between its growth of 1 and the 8 of quadratic time. */
export const LINEAR = 3

/**
 * The CPU time for one input as a multiple of that for eight inputs, which are as large together. It is about 1 for work in
 * linear time and about 8 for work in quadratic time: a test asks that it is below `LINEAR`.
 */
export async function growth({ workOf, size }: SizedWork): Promise<number> {
  const small = workOf(Math.round(size / PARTS))
  const reference = async () => {
    for (let part = 0; part < PARTS; part += 1) await small()
  }
  return await cpuRatio({ work: workOf(size), reference, below: LINEAR })
}

/** The CPU time of one run in this process, with the threads that decompress or collect garbage for it. */
async function cpuMs(work: Work, repeats: number): Promise<number> {
  const before = process.cpuUsage()
  for (let count = 0; count < repeats; count += 1) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / repeats
}

function repeatsOf(milliseconds: number): number {
  return Math.ceil(LEAST_ROUND_MS / Math.max(milliseconds, 0.01))
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function readReference(): number {
  let digits = 0
  for (let i = 0; i < MEBIBYTE; i += 1) if (referenceText.charCodeAt(i) === 0x30) digits += 1
  return digits
}
