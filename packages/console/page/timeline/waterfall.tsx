import { useCallback, useId, useState } from 'preact/hooks'
import { callOfRecord } from '../api/mcp-call.ts'
import { formatMs } from '../shell/format.ts'
import { OutcomeBadge } from '../shell/outcome-badge.tsx'
import { familyOf } from '../shell/outcome-family.ts'
import { ScrollRegion } from '../shell/scroll-region.tsx'
import { type Hop, seenSpan } from './build-hops.ts'
import type { Swallowed } from './find-swallowed.ts'
import { type Bar, type FoldRow, laterName, waterfallRows } from './flatten-hops.ts'
import { HopDetail } from './hop-detail.tsx'
import { streamNote } from './stream-facts.ts'

interface WaterfallProps {
  readonly hops: readonly Hop[]
  readonly extent: { readonly startMs: number; readonly endMs: number }
  readonly swallowed: readonly Swallowed[]
}

/** The hops over time, with their outcomes. A row opens to its details, a fold to its rows. */
export function Waterfall({ hops, extent, swallowed }: WaterfallProps) {
  const [open, toggle] = useOpen()
  const wholeMs = Math.max(extent.endMs - extent.startMs, 1)
  const scale: Scale = { startMs: extent.startMs, wholeMs }
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
          {waterfallRows(hops, open).map((row) => {
            const shared = { scale, isOpen: open.has(row.key), onToggle: toggle }
            if (row.type === 'fold') return <FoldedRow key={row.key} row={row} {...shared} />
            return <BarRow key={row.key} bar={row} swallowed={swallowed} {...shared} />
          })}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

function useOpen(): readonly [ReadonlySet<string>, (key: string) => void] {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const toggle = useCallback((key: string) => {
    setOpen(
      (before) => new Set(before.has(key) ? [...before].filter((each) => each !== key) : [...before, key]),
    )
  }, [])
  return [open, toggle]
}

interface Scale {
  readonly startMs: number
  readonly wholeMs: number
}

interface RowProps {
  readonly scale: Scale
  readonly isOpen: boolean
  onToggle(key: string): void
}

function BarRow({
  bar,
  scale,
  swallowed,
  isOpen,
  onToggle,
}: RowProps & { readonly bar: Bar; readonly swallowed: readonly Swallowed[] }) {
  const { span, depth, role, hop } = bar
  const detailId = useId()
  const lost = swallowed.find(({ child }) => child === hop && (role === 'gateway' || role === 'service'))
  const took = span.endMs - span.startMs
  return (
    <>
      <tr class={lost === undefined ? '' : 'lost'}>
        <th scope="row">
          <button
            type="button"
            class="hop-name"
            style={{ paddingLeft: `${indentOf(depth)}px` }}
            aria-expanded={isOpen}
            aria-controls={isOpen ? detailId : undefined}
            onClick={() => onToggle(bar.key)}
          >
            <b title={span.part}>{span.part}</b>
            <span class="note" title={noteOf(bar)}>
              {noteOf(bar)}
            </span>
          </button>
        </th>
        <td>
          <OutcomeBadge outcome={span.outcome} status={span.status} />
          {lost !== undefined && <span class="lost-mark">swallowed</span>}
        </td>
        <td class="bar-cell">
          <span class="track">
            <i
              class={`bar ${familyOf(span.outcome)} ${role}`}
              style={
                role === 'running'
                  ? { ...placeOf(span, scale), width: 'auto', right: 0 }
                  : placeOf(span, scale)
              }
            />
          </span>
        </td>
        <td class="number">{took > 0 ? formatMs(took) : '–'}</td>
      </tr>
      {isOpen && (
        <tr class="detail" id={detailId}>
          <td colSpan={4}>
            <HopDetail bar={bar} />
          </td>
        </tr>
      )}
    </>
  )
}

function noteOf({ role, span }: Bar): string {
  switch (role) {
    case 'later':
      return laterName(span)
    case 'running':
      return 'in the background, no end recorded'
    case 'gateway':
    case 'service': {
      const call = callOfRecord(span.record.attributes)
      const stream = streamNote(span.record)
      const round = call === null ? [] : [`round ${call.round}`]
      return [...round, span.operation, ...(stream === undefined ? [] : [stream])].join(' · ')
    }
  }
}

function FoldedRow({
  row: { key, folded, depth },
  scale,
  isOpen,
  onToggle,
}: RowProps & { readonly row: FoldRow }) {
  const { hop, hops, count, kind } = folded
  const startMs = hops[0]?.startMs ?? hop.startMs
  const span = hop.gateway ?? hop.service
  const { outcome = '', status } = seenSpan(hop) ?? {}
  return (
    <tr class="fold">
      <th scope="row">
        <button
          type="button"
          class="hop-name"
          style={{ paddingLeft: `${indentOf(depth)}px` }}
          aria-expanded={isOpen}
          onClick={() => onToggle(key)}
        >
          <b>{kind === 'polls' ? `${count} ${count === 1 ? 'poll' : 'polls'}` : `${count} requests alike`}</b>
          <span class="note" title={span?.operation}>
            {span?.operation}
          </span>
        </button>
      </th>
      <td>
        <OutcomeBadge outcome={outcome} status={status} />
      </td>
      <td class="bar-cell">
        <span class="track">
          <i class="bar span" style={placeOf({ startMs, endMs: hop.endMs }, scale)} />
          {hops.slice(-MOST_TICKS).map((each, index) => (
            <i key={index} class={`bar tick ${familyOf(outcome)}`} style={placeOf(each, scale)} />
          ))}
        </span>
      </td>
      <td class="number">{formatMs(hop.endMs - startMs)}</td>
    </tr>
  )
}

const MOST_TICKS = 100

function placeOf({ startMs, endMs }: { readonly startMs: number; readonly endMs: number }, scale: Scale) {
  const left = `${((startMs - scale.startMs) / scale.wholeMs) * 100}%`
  return { left, width: `max(3px, ${((endMs - startMs) / scale.wholeMs) * 100}%)` }
}

const INDENT = 16
const MAX_INDENT = 8

// Limits the indent, so that names of a long chain stay visible.
function indentOf(depth: number): number {
  return Math.min(depth, MAX_INDENT) * INDENT
}
