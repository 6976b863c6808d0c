import { useMemo } from 'preact/hooks'
import type { RequestRow } from '../api/feed-events.ts'
import { findMatches, type Search } from '../search/search.ts'
import { SearchBar } from '../search/search-bar.tsx'
import { useQuery, useSearch } from '../search/use-search.ts'
import { downloadJson } from '../shell/download.ts'
import { Empty, Notice } from '../shell/notice.tsx'
import { placeHash } from '../shell/place.ts'
import { useStore } from '../shell/store.ts'
import type { Feed, FeedState } from './feed.ts'
import { type ChosenRequest, RequestDetail } from './request-detail.tsx'
import { isChosen, RequestTable } from './request-table.tsx'
import { exportedRow, wordsOf } from './row-list.ts'

/** The requests with their search. */
export function RequestPanel({ feed }: { readonly feed: Feed }) {
  const state = useStore(feed)
  const { rows } = state
  const [search, setSearch] = useSearch()
  const shown = useMemo(() => findMatches(rows, search, wordsOf), [rows, ...Object.values(search)])
  const [chosen, choose] = useChosen()
  return (
    <section class="panel requests" aria-labelledby="requests-title">
      <Toolbar feed={feed} state={state} search={search} shown={shown} />
      <SearchBar
        items={rows}
        search={search}
        placeholder="path, id, status, code, rule or cause"
        onChange={setSearch}
      />
      {state.remembered === 'failed' && (
        <Notice kind="fault" title="The remembered requests could not be read.">
          <p>{state.fault}</p>
          <button type="button" onClick={feed.refresh}>
            Try again
          </button>
        </Notice>
      )}
      <div class={chosen === undefined ? 'request-list' : 'request-list with-detail'}>
        {chosen !== undefined && (
          <RequestDetail
            chosen={chosen}
            row={rows.find((row) => isChosen(row, chosen))}
            onClose={() => choose(undefined)}
          />
        )}
        <Rows state={state} shown={shown} chosen={chosen} onChoose={choose} />
      </div>
    </section>
  )
}

/** The request whose details are shown, kept in the address. */
function useChosen(): readonly [ChosenRequest | undefined, (next: ChosenRequest | undefined) => void] {
  const [query, write] = useQuery()
  const chosen = readChosen(query)
  function choose(next: ChosenRequest | undefined): void {
    const params = new URLSearchParams(query)
    params.delete('request')
    params.delete('span')
    if (next !== undefined && !(chosen && isChosen(next, chosen))) {
      params.set('request', next.requestId)
      params.set('span', next.spanId)
    }
    write(params.toString(), 'new')
  }
  return [chosen, choose]
}

function readChosen(query: string): ChosenRequest | undefined {
  const params = new URLSearchParams(query)
  const requestId = params.get('request') ?? ''
  return requestId === '' ? undefined : { requestId, spanId: params.get('span') ?? '' }
}

interface ToolbarProps {
  readonly feed: Feed
  readonly state: FeedState
  readonly search: Search
  readonly shown: readonly RequestRow[]
}

function Toolbar({ feed, state, search, shown }: ToolbarProps) {
  const { rows, paused, heldCount, unlisted } = state
  function save(): void {
    const filters = Object.fromEntries(Object.entries(search).filter(([, value]) => value !== ''))
    downloadJson('requests', {
      exportedAt: new Date().toISOString(),
      search: filters,
      listed: rows.length,
      requests: shown.map(exportedRow),
    })
  }
  return (
    <div class="toolbar">
      <h2 id="requests-title">Requests</h2>
      <span class="note" role="status">
        {countWords(state, shown.length)}
      </span>
      {unlisted > 0 && (
        <span class="note">
          {unlisted.toLocaleString('en')} more were only counted.{' '}
          <button type="button" class="quiet inline" onClick={feed.refresh}>
            List them
          </button>
        </span>
      )}
      <span class="spring" />
      {paused && heldCount > 0 && <span class="note">{heldCount.toLocaleString('en')} new</span>}
      <button type="button" aria-pressed={paused} onClick={() => feed.pause(!paused)}>
        {paused ? 'Resume' : 'Pause'}
      </button>
      <button type="button" onClick={save} disabled={shown.length === 0}>
        Export
      </button>
      <button type="button" class="quiet" onClick={feed.clear} disabled={rows.length + heldCount === 0}>
        Clear
      </button>
    </div>
  )
}

function countWords({ rows, remembered }: FeedState, shown: number): string {
  const all = rows.length.toLocaleString('en')
  const reading = remembered === 'reading' ? ', reading older ones' : ''
  if (rows.length === 0) return ''
  if (shown === rows.length) return `the last ${all}${reading}`
  return `${shown.toLocaleString('en')} of the last ${all}${reading}`
}

interface RowsProps {
  readonly state: FeedState
  readonly shown: readonly RequestRow[]
  readonly chosen: ChosenRequest | undefined
  onChoose(row: RequestRow): void
}

function Rows({ state: { rows, remembered, paused }, shown, chosen, onChoose }: RowsProps) {
  if (shown.length > 0) return <RequestTable rows={shown} chosen={chosen} onChoose={onChoose} />
  if (rows.length > 0) return <Empty title="No request fits the filters." />
  if (remembered === 'reading') return <Empty title="Reading what the gateway remembers…" />
  if (remembered === 'failed') return null
  return (
    <Empty title={paused ? 'The table is paused.' : 'The gateway remembers no request.'}>
      <p>
        <a href={placeHash({ view: 'Try', item: '' })}>Send one in Try</a>, or call the gateway from anywhere:
        it shows up here at once.
      </p>
    </Empty>
  )
}
