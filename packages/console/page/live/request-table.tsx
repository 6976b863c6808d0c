import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { RequestRow } from '../api/feed-events.ts'
import { formatClock, formatMs } from '../shell/format.ts'
import { OutcomeBadge } from '../shell/outcome-badge.tsx'
import { shorten } from '../shell/picture.ts'
import { placeHash } from '../shell/place.ts'
import { ScrollRegion } from '../shell/scroll-region.tsx'
import { goTo } from '../shell/use-place.ts'

// Drawing five hundred rows four times a second would be too expensive.
const FIRST_ROWS = 60
const MORE_ROWS = 220

/** The rows, newest first. Each links to the timeline of its exchange. */
export function RequestTable({ rows }: { readonly rows: readonly RequestRow[] }) {
  const [limit, setLimit] = useState(FIRST_ROWS)
  // Rows never change, so their virtual nodes are cached and Preact need not compare them.
  const drawn = useRef(new WeakMap<RequestRow, JSX.Element>())
  function draw(row: RequestRow): JSX.Element {
    const before = drawn.current.get(row)
    if (before !== undefined) return before
    const element = <Row key={`${row.requestId} ${row.at}`} row={row} />
    drawn.current.set(row, element)
    return element
  }
  return (
    <ScrollRegion label="Requests, newest first" class="tall">
      <table class="rows requests-table">
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
            <th scope="col" class="number time-column">
              Upstream
            </th>
            <th scope="col" class="number time-column">
              Plugins
            </th>
            <th scope="col" class="link-column">
              Timeline
            </th>
          </tr>
        </thead>
        <tbody>{rows.slice(0, limit).map(draw)}</tbody>
      </table>
      {rows.length > limit && (
        <button type="button" class="quiet more" onClick={() => setLimit(limit + MORE_ROWS)}>
          Show more
        </button>
      )}
    </ScrollRegion>
  )
}

function Row({ row }: { readonly row: RequestRow }) {
  const place = { view: 'Timeline', item: row.correlationId } as const
  return (
    // The link is for the keyboard; the whole row is a larger target for the mouse.
    <tr class="opens" onClick={() => goTo(place)}>
      <td class="mono time-cell">{formatClock(row.at)}</td>
      <td class="outcome-cell">
        <OutcomeBadge outcome={row.outcome} status={row.status} />
      </td>
      <td class="request-cell">
        <span class="mono">
          <b>{row.method}</b> {row.path}
        </span>
        <span class="note">
          {row.route}
          {row.streamed && ' · stream'}
        </span>
      </td>
      <td class="name-cell">{row.tenant || '–'}</td>
      <td class="name-cell">{row.actor || '–'}</td>
      <td class="number total-cell">{formatMs(row.durationMs)}</td>
      <td class="number">{row.upstreamMs === null ? '–' : formatMs(row.upstreamMs)}</td>
      <td class="number">{formatMs(row.pluginMs)}</td>
      <td class="link-cell">
        <a class="mono" href={placeHash(place)} title={row.correlationId}>
          {shorten(row.correlationId, SHORT_LENGTH)}
        </a>
      </td>
    </tr>
  )
}

const SHORT_LENGTH = 13
