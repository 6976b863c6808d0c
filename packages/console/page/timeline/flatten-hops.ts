import { type Hop, isEnd, type Span, seenOutcome } from './build-hops.ts'
import { type Folded, foldHops } from './fold-hops.ts'

/** A bar of the waterfall. */
export interface Bar {
  readonly type: 'bar'
  readonly key: string
  readonly hop: Hop
  readonly span: Span
  readonly depth: number
  /** `later` for the time in the background; `running` if nothing tells its end. */
  readonly role: 'gateway' | 'service' | 'later' | 'running'
}

const APPROVAL_DECIDED = 'agentic.approval.decided'
const laterNames: ReadonlyMap<string, string> = new Map([
  ['agentic.operation.finished', 'in the background'],
  ['agentic.approval.requested', 'approval asked for'],
  ['agentic.approval.used', 'approval used'],
  ['agentic.approval.expired', 'approval expired'],
  ['agentic.approval.withdrawn', 'approval withdrawn'],
])

/** The name of a record beside the answer of its request. A service's own records keep the name of their event. */
export function laterName({ record: { eventType, attributes } }: Span): string {
  if (eventType !== APPROVAL_DECIDED) return laterNames.get(eventType) ?? eventType
  const verdict = attributes.get('verdict')
  return `approval ${verdict === 'approved' ? 'given' : verdict === 'rejected' ? 'rejected' : 'decided'}`
}

/** Several similar hops as one row of the waterfall. */
export interface FoldRow {
  readonly type: 'fold'
  readonly key: string
  readonly folded: Folded
  readonly depth: number
}

/** The rows of the waterfall, each hop below its caller. The rows of a fold follow it while it is open. */
export function waterfallRows(hops: readonly Hop[], open: ReadonlySet<string>): (Bar | FoldRow)[] {
  // One shared list: copies at each level would be quadratic for a long chain.
  const rows: (Bar | FoldRow)[] = []
  function addHop(hop: Hop, depth: number): void {
    const own = barsOf(hop, depth)
    rows.push(...own)
    addAll(hop.children, depth + own.length)
  }
  function addAll(some: readonly Hop[], depth: number): void {
    for (const folded of foldHops(some)) {
      if (folded.kind === 'request') {
        addHop(folded.hop, depth)
        continue
      }
      const key = `fold ${keyOf(folded.hops[0] ?? folded.hop)}`
      rows.push({ type: 'fold', key, folded, depth })
      if (open.has(key)) for (const hop of folded.hops) addHop(hop, depth + 1)
    }
  }
  addAll(hops, 0)
  return rows
}

function keyOf({ requestId, startMs }: Hop): string {
  return `${startMs} ${requestId}`
}

function barsOf(hop: Hop, depth: number): Bar[] {
  const { gateway, service, later } = hop
  const answered = gateway ?? service
  const isOpen = seenOutcome(hop) === 'accepted' && !later.some(isEnd)
  const spans = [
    ['gateway', gateway],
    ['service', service],
    ...later.map((span) => ['later', span] as const),
    ['running', isOpen && answered !== undefined ? { ...answered, startMs: answered.endMs } : undefined],
  ] as const
  const present = spans.flatMap(([role, span]) => (span === undefined ? [] : [{ role, span }]))
  return present.map(({ role, span }, order) => ({
    type: 'bar',
    key: `${order} ${keyOf(hop)}`,
    hop,
    span,
    role,
    depth: depth + Math.min(order, 1),
  }))
}

/** The bars of all hops. */
export function flattenHops(hops: readonly Hop[]): Bar[] {
  const bars: Bar[] = []
  function add(hop: Hop, depth: number): void {
    const own = barsOf(hop, depth)
    bars.push(...own)
    for (const child of hop.children) add(child, depth + own.length)
  }
  for (const hop of hops) add(hop, 0)
  return bars
}

/** The start and the end of all hops. */
export function extentOf(hops: readonly Hop[]): { readonly startMs: number; readonly endMs: number } {
  const all = flattenHops(hops).map(({ span }) => span)
  return {
    startMs: all.reduce((least, { startMs }) => Math.min(least, startMs), Number.POSITIVE_INFINITY),
    endMs: all.reduce((most, { endMs }) => Math.max(most, endMs), Number.NEGATIVE_INFINITY),
  }
}
