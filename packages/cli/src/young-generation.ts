import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

const MEBIBYTE = 1_048_576
/** Both halves of the space for new objects together, at the start and under load. */
const FIRST_BYTES = 4 * MEBIBYTE
const MAX_BYTES = 16 * MEBIBYTE
/** The factor by which V8 lets the space grow. */
const DEFAULT_FACTOR = 2
const NO_GROWTH = 1

/**
 * Keeps V8's young generation at 8 to 16 MB, collected by one thread. V8 would let it grow to 128 MB, which costs memory under any load, and CPU too: new
 * objects are no longer in the caches of the processor. A smaller one costs CPU for more collections. Its limit can be set
 * only on the command line of Node; the factor of its growth can be changed at any time.
 */
export function boundYoungGeneration(): void {
  if (isChosen()) return
  // For so few bytes the threads of a collection mostly wait for each other, above all on one core.
  setFlagsFromString('--no-parallel-scavenge')
  // A collection frees few buffers. To wake a thread for them, sixty times a second, costs more than to free them at once.
  setFlagsFromString('--no-concurrent-array-buffer-sweeping')
  fillYoungGeneration()
  let factor = NO_GROWTH
  // Modules are loaded in one turn, in which nothing else could stop the growth.
  setGrowthFactor(factor)
  // V8 shrinks the space of an idle process, which has to grow again under load.
  const observer = new PerformanceObserver(() => {
    const wanted = youngBytes() * DEFAULT_FACTOR <= MAX_BYTES ? DEFAULT_FACTOR : NO_GROWTH
    if (wanted !== factor) setGrowthFactor(wanted)
    factor = wanted
  })
  observer.observe({ entryTypes: ['gc'] })
}

/** Whether the operator has chosen a size. */
function isChosen(): boolean {
  return [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].some((option) => SEMI_SPACE.test(option))
}

const SEMI_SPACE = /semi[-_]space/

const BLOCKS = 256
const BLOCK_WORDS = 4096

/** V8 lets the space grow when enough objects have survived in it. Modules are loaded in less time with twice its first size. */
function fillYoungGeneration(): void {
  const kept: unknown[] = []
  for (let block = 0; block < BLOCKS && youngBytes() < FIRST_BYTES; block += 1)
    kept.push(new Array(BLOCK_WORDS).fill(block))
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
}

function setGrowthFactor(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`)
}
