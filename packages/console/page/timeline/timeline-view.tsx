import { useEffect, useState } from 'preact/hooks'
import { adminApi } from '../api/admin-api.ts'
import { Field } from '../shell/field.tsx'
import { Empty, Notice } from '../shell/notice.tsx'
import { goTo } from '../shell/use-place.ts'
import { ExchangeRecords } from './exchange-records.tsx'
import { RecentList } from './recent-list.tsx'
import { useRecords } from './use-records.ts'

/** One correlation id across gateways and services. */
export function TimelineView({ correlationId }: { readonly correlationId: string }) {
  return (
    <div class="timeline">
      <Picker correlationId={correlationId} />
      {correlationId === '' ? <RecentList /> : <Exchange key={correlationId} correlationId={correlationId} />}
    </div>
  )
}

function Picker({ correlationId }: { readonly correlationId: string }) {
  const [text, setText] = useState(correlationId)
  useEffect(() => setText(correlationId), [correlationId])
  function show(event: Event): void {
    event.preventDefault()
    goTo({ view: 'Timeline', item: text.trim() })
  }
  return (
    <form class="picker" onSubmit={show}>
      <Field label="Correlation id" class="wide">
        {(id) => (
          <input
            id={id}
            class="mono"
            value={text}
            autocomplete="off"
            spellcheck={false}
            placeholder="from an answer, a log or a record"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      <button type="submit" class="primary" disabled={text.trim() === ''}>
        Show
      </button>
      {correlationId !== '' && (
        <button type="button" class="quiet" onClick={() => goTo({ view: 'Timeline', item: '' })}>
          Recent exchanges
        </button>
      )}
    </form>
  )
}

function Exchange({ correlationId }: { readonly correlationId: string }) {
  const { records, fault, refresh } = useRecords(correlationId, adminApi.records)
  if (fault !== undefined) {
    return (
      <Notice kind="fault" title="The records could not be read.">
        <p>{fault}</p>
        <button type="button" onClick={refresh}>
          Try again
        </button>
      </Notice>
    )
  }
  if (records === undefined) return <p class="note">Reading the records…</p>
  if (records.length > 0) return <ExchangeRecords records={records} onRefresh={refresh} />
  return (
    <Empty title="There is no record of this correlation id.">
      <p>
        The gateway remembers its last few thousand requests. Services appear when they post their records to
        the admin listener.
      </p>
      <button type="button" onClick={refresh}>
        Look again
      </button>
    </Empty>
  )
}
