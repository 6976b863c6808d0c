import { type ChaosContext, scaled } from '../chaos-run.ts'
import { createSeeded } from '../seeded.ts'

/** The approximate number of simultaneous copies of each key. */
const AT_ONCE = 4

/** The keys of a run. */
export function keysOf(context: ChaosContext): number[] {
  return Array.from({ length: scaled(context, 'keys') }, (_, key) => key)
}

/** All copies of all keys, shuffled within blocks. */
export function copiesInOrder(context: ChaosContext): number[] {
  const seeded = createSeeded(context.seed)
  const keys = keysOf(context)
  const order: number[] = []
  const size = Math.ceil(scaled(context, 'callers') / AT_ONCE)
  for (let first = 0; first < keys.length; first += size) {
    const block = keys.slice(first, first + size)
    order.push(
      ...seeded.shuffle(block.flatMap((key) => Array.from({ length: scaled(context, 'copies') }, () => key))),
    )
  }
  return order
}
