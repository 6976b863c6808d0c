import { useState } from 'preact/hooks'
import { formatAgo } from '../shell/format.ts'
import { OutcomeBadge } from '../shell/outcome-badge.tsx'
import { statusOfOutcome } from '../shell/outcome-family.ts'
import { useStore } from '../shell/store.ts'
import type { History, HistoryEntry } from './history.ts'

interface HistoryProps {
  readonly history: History
  onRestore(entry: HistoryEntry): void
}

/** The last requests of this browser. A click fills the form in. */
export function HistoryPanel({ history, onRestore }: HistoryProps) {
  const entries = useStore(history)
  const [text, setText] = useState('')
  const shown = entries.filter((entry) => fits(entry, text))
  return (
    <details class="panel history">
      <summary>
        <h2>History</h2>
        <span class="note">{entries.length === 0 ? 'empty' : `${entries.length} of at most 50`}</span>
      </summary>
      <div class="history-tools">
        <input
          type="search"
          aria-label="Search the history"
          placeholder="Search the history"
          data-search
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="button" class="quiet" disabled={entries.length === 0} onClick={history.clear}>
          Clear
        </button>
      </div>
      <p class="note">Kept in this browser, without tokens.</p>
      <ol>
        {shown.map((entry) => (
          <li key={entry.id}>
            <button type="button" class="history-entry" onClick={() => onRestore(entry)}>
              <span class="mono">
                <b>{entry.method}</b> {entry.path}
              </span>
              <span class="history-end">
                {entry.outcome === '' ? (
                  <span class="note">no answer</span>
                ) : (
                  <OutcomeBadge
                    outcome={entry.outcome}
                    status={statusOfOutcome(entry.outcome) ?? entry.status}
                  />
                )}
                <span class="note">{formatAgo(entry.at, Date.now())}</span>
              </span>
            </button>
          </li>
        ))}
      </ol>
      {entries.length > 0 && shown.length === 0 && <p class="note">No request of the history fits.</p>}
    </details>
  )
}

function fits({ method, path, outcome }: HistoryEntry, text: string): boolean {
  return `${method} ${path} ${outcome.replaceAll('_', ' ')}`.toLowerCase().includes(text.trim().toLowerCase())
}
