import { type Hop, operationOf, type Span, seenOutcome } from './build-hops.ts'

/** A bar of the waterfall. */
export interface Bar {
  readonly key: string
  readonly hop: Hop
  readonly span: Span
  readonly depth: number
  readonly role: 'gateway' | 'service' | 'later'
}

/** The hops as bars, each below its caller. */
export function flattenHops(hops: readonly Hop[]): Bar[] {
  const bars: Bar[] = []
  // One shared list: copies at each level would be quadratic for a long chain.
  function add(hop: Hop, depth: number): void {
    const own = barsOf(hop, depth, bars.length)
    bars.push(...own)
    for (const child of hop.children) add(child, depth + own.length)
  }
  for (const hop of hops) add(hop, 0)
  return bars
}

function barsOf(hop: Hop, depth: number, count: number): Bar[] {
  const spans = [
    ['gateway', hop.gateway],
    ['service', hop.service],
    ...hop.later.map((span) => ['later', span] as const),
  ] as const
  const present = spans.flatMap(([role, span]) => (span === undefined ? [] : [{ role, span }]))
  return present.map(({ role, span }, order) => ({
    key: `${count + order} ${hop.requestId}`,
    hop,
    span,
    role,
    depth: depth + Math.min(order, 1),
  }))
}

/** A hop, or several similar hops as one, for example polling. */
export interface Folded {
  readonly hop: Hop
  readonly count: number
}

const FOLD_FROM = 3

/** Folds at least three consecutive requests that differ only in their time. */
export function foldRepeats(hops: readonly Hop[]): Folded[] {
  const runs: Hop[][] = []
  for (const hop of hops) {
    const run = runs.at(-1)
    if (run?.[0] !== undefined && isAlike(run[0], hop)) run.push(hop)
    else runs.push([hop])
  }
  return runs.flatMap((run) =>
    run.length < FOLD_FROM
      ? run.map((hop) => ({ hop, count: 1 }))
      : run.slice(-1).map((hop) => ({ hop, count: run.length })),
  )
}

function isAlike(a: Hop, b: Hop): boolean {
  return (
    a.children.length + b.children.length === 0 &&
    operationOf(a) === operationOf(b) &&
    a.gateway?.record.actorId === b.gateway?.record.actorId &&
    seenOutcome(a) === seenOutcome(b)
  )
}

/** The start and the end of all hops. */
export function extentOf(hops: readonly Hop[]): { readonly startMs: number; readonly endMs: number } {
  const all = flattenHops(hops).map(({ span }) => span)
  return {
    startMs: all.reduce((least, { startMs }) => Math.min(least, startMs), Number.POSITIVE_INFINITY),
    endMs: all.reduce((most, { endMs }) => Math.max(most, endMs), Number.NEGATIVE_INFINITY),
  }
}
