import { useMemo } from 'preact/hooks'
import type { RequestRow } from '../api/feed-events.ts'
import { Field } from '../shell/field.tsx'
import { useKept } from '../shell/kept.ts'
import { Empty } from '../shell/notice.tsx'
import { families, familyNames, outcomeWords } from '../shell/outcome-family.ts'
import { placeHash } from '../shell/place.ts'
import { useStore } from '../shell/store.ts'
import type { Feed } from './feed.ts'
import { everything, filterRows, isEmpty, parseFilter, type RowFilter, valuesOf } from './filter-rows.ts'
import { RequestTable } from './request-table.tsx'

/** The requests with their filters. */
export function RequestPanel({ feed }: { readonly feed: Feed }) {
  const { rows, paused, heldCount } = useStore(feed)
  const [kept, setKept] = useKept('filter')
  const filter = useMemo(() => parseFilter(kept), [kept])
  const shown = useMemo(() => filterRows(rows, filter), [rows, filter])
  return (
    <section class="panel requests" aria-labelledby="requests-title">
      <div class="toolbar">
        <h2 id="requests-title">Requests</h2>
        <span class="note">{countWords(shown.length, rows.length)}</span>
        <span class="spring" />
        {paused && heldCount > 0 && <span class="note">{heldCount} new</span>}
        <button type="button" aria-pressed={paused} onClick={() => feed.pause(!paused)}>
          {paused ? 'Resume' : 'Pause'}
        </button>
        <button type="button" class="quiet" onClick={feed.clear} disabled={rows.length + heldCount === 0}>
          Clear
        </button>
      </div>
      <Filters rows={rows} filter={filter} onChange={(next) => setKept(JSON.stringify(next))} />
      <Rows rows={rows} shown={shown} />
    </section>
  )
}

function countWords(shown: number, all: number): string {
  if (all === 0) return ''
  return shown === all ? `the last ${all}` : `${shown} of the last ${all}`
}

function Rows({
  rows,
  shown,
}: {
  readonly rows: readonly RequestRow[]
  readonly shown: readonly RequestRow[]
}) {
  if (rows.length === 0) {
    return (
      <Empty title="No request has passed since this page was opened.">
        <p>
          <a href={placeHash({ view: 'Try', item: '' })}>Send one in Try</a>, or call the gateway from
          anywhere: it shows up here at once.
        </p>
      </Empty>
    )
  }
  if (shown.length === 0) return <Empty title="No request fits the filter." />
  return <RequestTable rows={shown} />
}

interface FiltersProps {
  readonly rows: readonly RequestRow[]
  readonly filter: RowFilter
  onChange(filter: RowFilter): void
}

function Filters({ rows, filter, onChange }: FiltersProps) {
  const outcomeOptions = useMemo(() => valuesOf(rows, 'outcome'), [rows])
  return (
    <div class="filters">
      <Choice
        label="Route"
        value={filter.route}
        options={valuesOf(rows, 'route')}
        onChange={(route) => onChange({ ...filter, route })}
      />
      <Field label="Outcome">
        {(id) => (
          <select
            id={id}
            value={filter.outcome}
            onChange={(event) => onChange({ ...filter, outcome: event.currentTarget.value })}
          >
            <option value="">All</option>
            <optgroup label="Families">
              {families.map((family) => (
                <option key={family} value={family}>
                  {familyNames[family]}
                </option>
              ))}
            </optgroup>
            <optgroup label="Outcomes">
              {withChosen(outcomeOptions, filter.outcome).map((outcome) => (
                <option key={outcome} value={outcome}>
                  {outcomeWords(outcome)}
                </option>
              ))}
            </optgroup>
          </select>
        )}
      </Field>
      <Choice
        label="Tenant"
        value={filter.tenant}
        options={valuesOf(rows, 'tenant')}
        onChange={(tenant) => onChange({ ...filter, tenant })}
      />
      <Field label="Text" class="wide">
        {(id) => (
          <input
            id={id}
            type="search"
            placeholder="path, actor or id"
            value={filter.text}
            onInput={(event) => onChange({ ...filter, text: event.currentTarget.value })}
          />
        )}
      </Field>
      <button type="button" class="quiet" disabled={isEmpty(filter)} onClick={() => onChange(everything)}>
        Show all
      </button>
    </div>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly string[]
  onChange(value: string): void
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <Field label={label}>
      {(id) => (
        <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">All</option>
          {withChosen(options, value).map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

// A stored choice stays visible even if no row has it yet.
function withChosen(options: readonly string[], chosen: string): readonly string[] {
  const isFamily = families.some((family) => family === chosen)
  return chosen === '' || isFamily || options.includes(chosen) ? options : [chosen, ...options]
}
