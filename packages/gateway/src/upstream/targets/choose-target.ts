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
 * idle targets get their shares; load is compared per weight, so that busy ones do too. Every request comes here: it
 * makes no lists.
 */
export function chooseTarget<Target extends Weighted>(
  targets: readonly Target[],
  { now, random, without }: Choice<Target>,
): Target | undefined {
  const weightOf = (target: Target, other?: Target): number => {
    const isCandidate = target !== other && target.state.isOpen(now) && !without.includes(target)
    return isCandidate ? target.weight * target.state.share(now) : 0
  }
  const first = draw(targets, weightOf, random)
  if (first === undefined) return undefined
  const second = draw(targets, (target) => weightOf(target, first), random)
  if (second === undefined) return first
  return second.state.active / weightOf(second) < first.state.active / weightOf(first) ? second : first
}

/** Draws one by weight; undefined when no target has any. */
function draw<Target>(
  targets: readonly Target[],
  weightOf: (target: Target) => number,
  random: () => number,
): Target | undefined {
  let total = 0
  for (const target of targets) total += weightOf(target)
  if (total === 0) return undefined
  let left = random() * total
  let drawn: Target | undefined
  for (const target of targets) {
    const weight = weightOf(target)
    if (weight === 0) continue
    drawn = target
    left -= weight
    // Rounding may leave a rest behind the last one.
    if (left < 0) break
  }
  return drawn
}

/** Whether one more target may be ejected, when `out` of `count` are out for any reason. */
export function mayEject(count: number, out: number, maxPercent: number): boolean {
  return (out + 1) * 100 <= count * maxPercent
}
