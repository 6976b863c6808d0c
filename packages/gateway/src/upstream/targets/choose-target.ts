import type { TargetState } from './target-state.ts'

/** A target with its share of the requests. */
export interface Weighted {
  readonly weight: number
  readonly state: Pick<TargetState, 'active' | 'isOpen' | 'share'>
}

/** The circumstances of a choice. */
export interface Choice<Target> {
  readonly now: number
  /** From 0 to 1, without 1. */
  readonly random: () => number
  /** Targets that the request has tried. */
  readonly without: readonly Target[]
}

/**
 * Chooses the less loaded of two random open targets; undefined when none is open. Both are drawn by weight, so that
 * idle targets get their shares; load is compared per weight, so that busy ones do too.
 */
export function chooseTarget<Target extends Weighted>(
  targets: readonly Target[],
  { now, random, without }: Choice<Target>,
): Target | undefined {
  const open = targets.filter((target) => target.state.isOpen(now) && !without.includes(target))
  if (open.length < 2) return open[0]
  const first = draw(open, now, random())
  const second = draw(
    open.filter((target) => target !== first),
    now,
    random(),
  )
  return loadOf(second, now) < loadOf(first, now) ? second : first
}

/** Draws by weight; `fraction` is from 0 to 1, without 1. */
function draw<Target extends Weighted>(targets: readonly Target[], now: number, fraction: number): Target {
  let left = fraction * targets.reduce((sum, target) => sum + weightOf(target, now), 0)
  const drawn = targets.find((target) => {
    left -= weightOf(target, now)
    return left < 0
  })
  // Rounding may leave a rest behind the last one.
  return drawn ?? (targets.at(-1) as Target)
}

function weightOf({ weight, state }: Weighted, now: number): number {
  return weight * state.share(now)
}

function loadOf(target: Weighted, now: number): number {
  return target.state.active / weightOf(target, now)
}

/** Whether one more target may be ejected, when `out` of `count` are out for any reason. */
export function mayEject(count: number, out: number, maxPercent: number): boolean {
  return (out + 1) * 100 <= count * maxPercent
}
