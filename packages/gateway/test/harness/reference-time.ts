// The time to read ten MiB character by character on the idle reference machine.
const REFERENCE_MS = 22
const TRIES = 12
const referenceText = Buffer.alloc(1_048_576, 'a').toString()

/**
 * CPU milliseconds of a task on the idle reference machine: the least of some tries, or the first below the limit. A task
 * is slow until V8 has compiled it, and the tasks of others on the same cores and caches slow it down.
 */
export function referenceTime(task: () => void, limitMs: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; best >= limitMs && i < TRIES; i++) {
    const time = cpuTimeOf(task)
    best = Math.min(best, time < limitMs ? time : time / slowness())
  }
  return best
}

/** The slowdown of the machine right now. */
function slowness(): number {
  return Math.max(1, cpuTimeOf(readReference) / REFERENCE_MS)
}

function readReference(): number {
  let digits = 0
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < referenceText.length; i++) if (referenceText.charCodeAt(i) === 0x30) digits++
  }
  return digits
}

/** The CPU time of this thread: on a busy machine the wall clock also counts waiting. */
function cpuTimeOf(task: () => void): number {
  const before = process.threadCpuUsage()
  task()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
