import { useMemo, useState } from 'preact/hooks'
import type { RecentExchange } from '../api/recent-exchanges.ts'
import { formatAgo, formatMs } from '../shell/format.ts'
import { LoadFault } from '../shell/load-fault.tsx'
import { Empty, Notice } from '../shell/notice.tsx'
import { placeHash } from '../shell/place.ts'
import { titleOf } from './exchange-state.ts'
import { StateBadge } from './state-badge.tsx'
import { type Recent, useRecent } from './use-recent.ts'

/** The list of recent exchanges. */
export function RecentList() {
  const remembered = useRecent()
  const { recent, reload } = remembered
  if (recent.state === 'loading') return <p class="note">Reading…</p>
  if (recent.state === 'failed') return <LoadFault message={recent.message} onRetry={reload} />
  if (recent.value.length === 0) {
    return (
      <Empty title="No exchange yet.">
        <p>
          <a href={placeHash({ view: 'Try', item: '' })}>Send a request in Try</a>, then follow it here
          through every gateway and service it reached.
        </p>
      </Empty>
    )
  }
  return (
    <section class="panel" aria-labelledby="recent-title">
      <h2 id="recent-title">Recent exchanges</h2>
      <ExchangeList exchanges={recent.value} remembered={remembered} />
    </section>
  )
}

// More rows at once would slow the page down, and nobody reads them.
const PAGE_ROWS = 100

interface ListProps {
  readonly exchanges: readonly RecentExchange[]
  readonly remembered: Pick<Recent, 'isAll' | 'fault' | 'loadAll'>
}

/** The newest rows, and a button for more. */
function ExchangeList({ exchanges, remembered: { isAll, fault, loadAll } }: ListProps) {
  const [shown, setShown] = useState(PAGE_ROWS)
  const now = Date.now()
  const left = exchanges.length - shown
  async function showMore() {
    if (!isAll) await loadAll()
    setShown((before) => before + PAGE_ROWS)
  }
  return (
    <>
      <ul class="recent">
        {exchanges.slice(0, shown).map((exchange) => (
          <li key={exchange.correlationId}>
            <ExchangeLink exchange={exchange} now={now} />
          </li>
        ))}
      </ul>
      {fault !== undefined && <Notice kind="fault" title={fault} />}
      {(left > 0 || !isAll) && (
        <p class="more">
          <button type="button" class="quiet" onClick={() => void showMore()}>
            Show older exchanges
          </button>{' '}
          {isAll && <span class="note">{left} more</span>}
        </p>
      )}
    </>
  )
}

interface LinkProps {
  readonly exchange: RecentExchange
  readonly now: number
}

function ExchangeLink({ exchange, now }: LinkProps) {
  const { correlationId, at, tenant, parts, requests, ended } = exchange
  const title = useMemo(() => titleOf(requests, ended), [requests, ended])
  if (title === undefined) return null
  const { name, state, decidedBy } = title
  return (
    <a href={placeHash({ view: 'Timeline', item: correlationId })}>
      <StateBadge state={state} />
      <span class="recent-route" title={name}>
        {name}
        {decidedBy !== undefined && <span class="note"> · {decidedBy}</span>}
      </span>
      <span class="note">{backgroundNote(state.background, now)}</span>
      <span class="note">{tenant}</span>
      <span class="note">{parts.join(', ')}</span>
      <span class="mono note">{correlationId}</span>
      <time class="note" dateTime={at}>
        {formatAgo(at, now)}
      </time>
    </a>
  )
}

/** How long background work took, or has taken until now. */
function backgroundNote(
  background: { readonly startMs: number; readonly endMs: number | undefined } | undefined,
  now: number,
): string {
  if (background === undefined) return ''
  return `${formatMs(Math.max((background.endMs ?? now) - background.startMs, 0))} in background`
}
