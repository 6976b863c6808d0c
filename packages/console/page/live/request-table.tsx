import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RequestRow } from '../api/feed-events.ts'
import { callWords } from '../api/mcp-call.ts'
import { formatClock, formatMs } from '../shell/format.ts'
import { OutcomeBadge } from '../shell/outcome-badge.tsx'
import { shorten } from '../shell/picture.ts'
import { placeHash } from '../shell/place.ts'
import { ScrollRegion } from '../shell/scroll-region.tsx'
import type { ChosenRequest } from './request-detail.tsx'

interface TableProps {
  readonly rows: readonly RequestRow[]
  /** The request whose details are shown. */
  readonly chosen: ChosenRequest | undefined
  onChoose(row: RequestRow): void
}

/** Whether a row is the chosen one; by the id alone if the address has no span. */
export function isChosen(row: ChosenRequest, { requestId, spanId }: ChosenRequest): boolean {
  return row.requestId === requestId && (spanId === '' || row.spanId === spanId)
}

/** The rows, newest first. Only those near the visible part are drawn. */
export function RequestTable({ rows, chosen, onChoose }: TableProps) {
  const { region, body, follow, first, last, rowHeight } = useWindow(rows)
  return (
    <ScrollRegion label="Requests, newest first" class="tall" regionRef={region} onScroll={follow}>
      <table class="rows requests-table" aria-rowcount={rows.length + 1}>
        <Head />
        <tbody ref={body}>
          <Gap rows={first} rowHeight={rowHeight} />
          {rows.slice(first, last).map((row, index) => (
            <Row
              key={row.spanId}
              row={row}
              index={first + index + 2}
              isChosen={chosen !== undefined && isChosen(row, chosen)}
              onChoose={onChoose}
            />
          ))}
          <Gap rows={rows.length - last} rowHeight={rowHeight} />
        </tbody>
      </table>
    </ScrollRegion>
  )
}

// Blocks, so that not every pixel of scrolling draws the table again.
const BLOCK_ROWS = 10
const ROWS_ABOVE = 20
const ROWS_BELOW = 60
const FIRST_HEIGHT = 50

/** The drawn part of the rows. All rows have the same height. */
function useWindow(rows: readonly RequestRow[]) {
  const region = useRef<HTMLElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const [rowHeight, setRowHeight] = useState(FIRST_HEIGHT)
  const [block, setBlock] = useState(0)
  const before = useRef(rows)
  const follow = () => {
    const top = region.current?.scrollTop ?? 0
    setBlock(Math.floor(top / rowHeight / BLOCK_ROWS) * BLOCK_ROWS)
  }
  useLayoutEffect(() => {
    const height = body.current?.querySelector<HTMLElement>('.opens')?.offsetHeight ?? 0
    if (height > 0 && height !== rowHeight) setRowHeight(height)
  })
  useLayoutEffect(() => {
    const element = region.current
    const top = Math.floor((element?.scrollTop ?? 0) / rowHeight)
    // New rows push the others down. A reader who has scrolled keeps the rows in view.
    const anchor = before.current[top]
    const moved = anchor === undefined ? -1 : rows.indexOf(anchor) - top
    if (element !== null && top > 0 && moved > 0) element.scrollTop += moved * rowHeight
    before.current = rows
    follow()
  }, [rows])
  const first = Math.min(Math.max(0, block - ROWS_ABOVE), Math.max(0, rows.length - 1))
  const last = Math.min(rows.length, block + ROWS_BELOW)
  return { region, body, follow, first, last, rowHeight }
}

function Gap({ rows, rowHeight }: { readonly rows: number; readonly rowHeight: number }) {
  if (rows <= 0) return null
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: an empty row takes no focus
    <tr class="gap" aria-hidden="true" style={{ height: `${rows * rowHeight}px` }}>
      <td colSpan={9} />
    </tr>
  )
}

function Head() {
  return (
    <thead>
      <tr>
        <th scope="col" class="time-column">
          Time
        </th>
        <th scope="col" class="outcome-column">
          Outcome
        </th>
        <th scope="col">Request</th>
        <th scope="col" class="name-column">
          Tenant
        </th>
        <th scope="col" class="name-column">
          Actor
        </th>
        <th scope="col" class="number time-column">
          Total
        </th>
        <th scope="col" class="number time-column part-cell">
          Upstream
        </th>
        <th scope="col" class="number time-column part-cell">
          Plugins
        </th>
        <th scope="col" class="link-column">
          Timeline
        </th>
      </tr>
    </thead>
  )
}

interface RowProps {
  readonly row: RequestRow
  readonly index: number
  readonly isChosen: boolean
  onChoose(row: RequestRow): void
}

function Row({ row, index, isChosen: isOpen, onChoose }: RowProps) {
  const time = formatClock(row.at)
  return (
    // The button is for the keyboard; the whole row is a larger target for the mouse.
    <tr
      class={isOpen ? 'opens chosen' : 'opens'}
      aria-rowindex={index}
      onClick={(event) => isLink(event.target) || onChoose(row)}
    >
      <td class="mono time-cell">
        <button
          type="button"
          class="cell-button"
          aria-pressed={isOpen}
          aria-label={`${time}, details of ${row.method} ${row.path}`}
        >
          {time}
        </button>
      </td>
      <td class="outcome-cell">
        <OutcomeBadge outcome={row.outcome} status={row.status} />
        <Reason row={row} />
      </td>
      <td class="request-cell">
        <span class="mono" title={row.path}>
          <b>{row.method}</b> {row.path}
        </span>
        <span class="note">
          {row.route}
          {row.streamed && ' · stream'}
          {row.mcp !== null && ` · ${callWords(row.mcp)}`}
        </span>
      </td>
      <td class="name-cell">{row.tenant || '–'}</td>
      <td class="name-cell">{row.actor || '–'}</td>
      <td class="number total-cell">{formatMs(row.durationMs)}</td>
      <td class="number part-cell">{row.upstreamMs === null ? '–' : formatMs(row.upstreamMs)}</td>
      <td class="number part-cell">{formatMs(row.pluginMs)}</td>
      <td class="link-cell">
        <a
          class="mono"
          href={placeHash({ view: 'Timeline', item: row.correlationId })}
          title={row.correlationId}
        >
          {shorten(row.correlationId, SHORT_LENGTH)}
        </a>
      </td>
    </tr>
  )
}

const SHORT_LENGTH = 13

/** Code, rule and cause of an answer that the gateway refused or replaced. */
function Reason({ row: { code, rule, cause } }: { readonly row: RequestRow }) {
  const words = [code, rule, cause].filter((word) => word !== '').join(' · ')
  return (
    <span class="reason note" title={words}>
      {words}
    </span>
  )
}

function isLink(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('a') !== null
}
