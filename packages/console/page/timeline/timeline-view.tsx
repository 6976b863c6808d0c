import { adminApi } from '../api/admin-api.ts'
import { ItemPicker } from '../shell/item-picker.tsx'
import { Empty, Notice } from '../shell/notice.tsx'
import { ExchangeRecords } from './exchange-records.tsx'
import { RecentList } from './recent-list.tsx'
import { useRecords } from './use-records.ts'

/** One correlation id across gateways and services. */
export function TimelineView({ correlationId }: { readonly correlationId: string }) {
  return (
    <div class="timeline">
      <ItemPicker
        view="Timeline"
        item={correlationId}
        label="Correlation id"
        placeholder="from an answer, a log or a record"
        back="Recent exchanges"
        isWide
      />
      {correlationId === '' ? <RecentList /> : <Exchange key={correlationId} correlationId={correlationId} />}
    </div>
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
