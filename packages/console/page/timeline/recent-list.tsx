import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { callWords, type McpCall } from '../api/mcp-call.ts'
import { findMatches, isEverything } from '../search/search.ts'
import { SearchBar } from '../search/search-bar.tsx'
import { useSearch } from '../search/use-search.ts'
import { downloadJson } from '../shell/download.ts'
import { formatAgo, formatMs } from '../shell/format.ts'
import { LoadFault } from '../shell/load-fault.tsx'
import { Empty, Notice } from '../shell/notice.tsx'
import { placeHash } from '../shell/place.ts'
import {
  exportedExchange,
  type KnownEntries,
  type ListedExchange,
  listExchanges,
  wordsOf,
} from './listed-exchange.ts'
import { StateBadge } from './state-badge.tsx'
import { type Recent, useRecent } from './use-recent.ts'

/** The list of recent exchanges. */
export function RecentList() {
  const remembered = useRecent()
  const { recent, reload } = remembered
  const known = useRef<KnownEntries>(new WeakMap())
  const listed = useMemo(
    () => (recent.state === 'ready' ? listExchanges(recent.value, known.current) : []),
    [recent],
  )
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
  return <Found remembered={remembered} exchanges={listed} />
}

interface FoundProps {
  readonly exchanges: readonly ListedExchange[]
  readonly remembered: Recent
}

/** The exchanges that match the search in the address. */
function Found({ exchanges, remembered }: FoundProps) {
  const [search, setSearch] = useSearch()
  const shown = findMatches(exchanges, search, wordsOf)
  const needsAll = !isEverything(search) && !remembered.isAll && remembered.fault === undefined
  useEffect(() => {
    if (needsAll) void remembered.loadAll()
  }, [needsAll])
  function save(): void {
    const filters = Object.fromEntries(Object.entries(search).filter(([, value]) => value !== ''))
    downloadJson('exchanges', {
      exportedAt: new Date().toISOString(),
      search: filters,
      listed: exchanges.length,
      exchanges: shown.map(exportedExchange),
    })
  }
  return (
    <section class="panel" aria-labelledby="recent-title">
      <div class="toolbar recent-toolbar">
        <h2 id="recent-title">Recent exchanges</h2>
        <span class="note" role="status">
          {countWords(shown.length, exchanges.length)}
          {needsAll && ', reading older ones'}
        </span>
        <span class="spring" />
        <button type="button" onClick={save} disabled={shown.length === 0}>
          Export
        </button>
      </div>
      <SearchBar
        items={exchanges}
        search={search}
        placeholder="path, id, state, code or part"
        onChange={setSearch}
      />
      {shown.length === 0 && <Empty title="No exchange fits the filters." />}
      <ExchangeList exchanges={shown} remembered={remembered} />
    </section>
  )
}

function countWords(shown: number, all: number): string {
  const last = `the last ${all.toLocaleString('en')}`
  return shown === all ? last : `${shown.toLocaleString('en')} of ${last}`
}

// More rows at once would slow the page down, and nobody reads them.
const PAGE_ROWS = 100

interface ListProps {
  readonly exchanges: readonly ListedExchange[]
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
        {exchanges.slice(0, shown).map((listed) => (
          <li key={listed.exchange.correlationId}>
            <ExchangeLink listed={listed} now={now} />
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
  readonly listed: ListedExchange
  readonly now: number
}

function ExchangeLink({ listed, now }: LinkProps) {
  const { correlationId, at, parts } = listed.exchange
  const { name, state, decidedBy } = listed.title
  const call = lastCall(listed.exchange)
  return (
    <a href={placeHash({ view: 'Timeline', item: correlationId })}>
      <StateBadge state={state} />
      <span class="recent-route" title={name}>
        {name}
        {decidedBy !== undefined && <span class="note"> · {decidedBy}</span>}
        {call !== undefined && <span class="note"> · {callWords(call)}</span>}
      </span>
      <span class="note">{backgroundNote(state.background, now)}</span>
      <span class="note">{[listed.tenant].flat().join(', ')}</span>
      <span class="note">{parts.join(', ')}</span>
      <span class="mono note">{correlationId}</span>
      <time class="note" dateTime={at}>
        {formatAgo(at, now)}
      </time>
    </a>
  )
}

/** The MCP call of an exchange, in its newest round. */
function lastCall({ requests }: ListedExchange['exchange']): McpCall | undefined {
  const calls = requests.map(({ mcp }) => mcp).filter((mcp) => mcp !== null)
  return calls.toSorted((a, b) => b.round - a.round)[0]
}

/** How long background work took, or has taken until now. */
function backgroundNote(
  background: { readonly startMs: number; readonly endMs: number | undefined } | undefined,
  now: number,
): string {
  if (background === undefined) return ''
  return `${formatMs(Math.max((background.endMs ?? now) - background.startMs, 0))} in background`
}
