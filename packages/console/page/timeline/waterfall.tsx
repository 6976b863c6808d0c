import { formatMs } from '../shell/format.ts'
import { OutcomeBadge } from '../shell/outcome-badge.tsx'
import { familyOf } from '../shell/outcome-family.ts'
import { ScrollRegion } from '../shell/scroll-region.tsx'
import type { Swallowed } from './find-swallowed.ts'
import type { Bar } from './flatten-hops.ts'

interface WaterfallProps {
  readonly bars: readonly Bar[]
  readonly extent: { readonly startMs: number; readonly endMs: number }
  readonly swallowed: readonly Swallowed[]
}

/** The hops over time, with their outcomes. */
export function Waterfall({ bars, extent, swallowed }: WaterfallProps) {
  const wholeMs = Math.max(extent.endMs - extent.startMs, 1)
  return (
    <ScrollRegion label="Who worked when">
      <table class="waterfall">
        <thead>
          <tr>
            <th scope="col">Hop</th>
            <th scope="col">Outcome</th>
            <th scope="col" class="wide">
              <span class="scale">
                <span>0</span>
                <span>{formatMs(wholeMs / 2)}</span>
                <span>{formatMs(wholeMs)}</span>
              </span>
            </th>
            <th scope="col" class="number">
              Time
            </th>
          </tr>
        </thead>
        <tbody>
          {bars.map((bar) => (
            <BarRow
              key={bar.key}
              bar={bar}
              startMs={extent.startMs}
              wholeMs={wholeMs}
              swallowed={swallowed}
            />
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

interface BarRowProps {
  readonly bar: Bar
  readonly startMs: number
  readonly wholeMs: number
  readonly swallowed: readonly Swallowed[]
}

function BarRow({ bar: { span, depth, role, hop }, startMs, wholeMs, swallowed }: BarRowProps) {
  const lost = swallowed.find(({ child }) => child === hop && role !== 'later')
  const took = span.endMs - span.startMs
  const left = `${((span.startMs - startMs) / wholeMs) * 100}%`
  return (
    <tr class={lost === undefined ? '' : 'lost'}>
      <th scope="row">
        <span class="hop-name" style={{ paddingLeft: `${indentOf(depth)}px` }}>
          <b title={span.part}>{span.part}</b>
          <span class="note" title={span.operation}>
            {role === 'later' ? 'ended in the background' : span.operation}
          </span>
        </span>
      </th>
      <td>
        <OutcomeBadge outcome={span.outcome} status={span.status} />
        {lost !== undefined && <span class="lost-mark">swallowed</span>}
      </td>
      <td class="bar-cell">
        <span class="track">
          <i
            class={`bar ${familyOf(span.outcome)} ${role}`}
            style={{ left, width: `max(3px, ${(took / wholeMs) * 100}%)` }}
          />
        </span>
      </td>
      <td class="number">{took > 0 ? formatMs(took) : '–'}</td>
    </tr>
  )
}

const INDENT = 16
const MAX_INDENT = 8

// Limits the indent, so that names of a long chain stay visible.
function indentOf(depth: number): number {
  return Math.min(depth, MAX_INDENT) * INDENT
}
