import { adminApi } from '../api/admin-api.ts'
import type { RecentExchange } from '../api/audit-records.ts'
import { formatAgo } from '../shell/format.ts'
import { LoadFault } from '../shell/load-fault.tsx'
import { Empty } from '../shell/notice.tsx'
import { OutcomeBadge } from '../shell/outcome-badge.tsx'
import { placeHash } from '../shell/place.ts'
import { useLoad, useRepeat } from '../shell/use-load.ts'

const REFRESH_MS = 3000

/** The list of recent exchanges. */
export function RecentList() {
  const [recent, reload] = useLoad(adminApi.recent)
  useRepeat(reload, REFRESH_MS)
  const now = Date.now()
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
      <ul class="recent">
        {recent.value.map((exchange) => (
          <li key={exchange.correlationId}>
            <Exchange exchange={exchange} now={now} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Exchange({ exchange, now }: { readonly exchange: RecentExchange; readonly now: number }) {
  const { correlationId, at, route, outcome, status, tenant, parts } = exchange
  return (
    <a href={placeHash({ view: 'Timeline', item: correlationId })}>
      <OutcomeBadge outcome={outcome} status={status} />
      <span class="recent-route">{route || 'no route'}</span>
      <span class="note">{tenant}</span>
      <span class="note">{parts.join(', ')}</span>
      <span class="mono note">{correlationId}</span>
      <time class="note" dateTime={at}>
        {formatAgo(at, now)}
      </time>
    </a>
  )
}
