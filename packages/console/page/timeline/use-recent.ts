import { useCallback, useMemo, useState } from 'preact/hooks'
import { adminApi } from '../api/admin-api.ts'
import type { RecentExchange } from '../api/recent-exchanges.ts'
import { type Loaded, messageOf, useLoad, useRepeat } from '../shell/use-load.ts'

const REFRESH_MS = 3000
/** The exchanges of each refresh. */
const NEWEST = 100
/** The exchanges of each page of older ones. */
const PAGE = 512

/** The remembered exchanges. */
export interface Recent {
  readonly recent: Loaded<readonly RecentExchange[]>
  /** The older exchanges are loaded, or there are none. */
  readonly isAll: boolean
  readonly fault: string | undefined
  reload(): void
  /** Loads the older exchanges too. They are too many for every refresh. */
  loadAll(): Promise<void>
}

/** Loads the newest exchanges every few seconds, and the older ones on demand. */
export function useRecent(): Recent {
  const [newest, reload] = useLoad(loadNewest)
  useRepeat(reload, REFRESH_MS)
  const [older, setOlder] = useState<readonly RecentExchange[] | undefined>(undefined)
  const [fault, setFault] = useState<string | undefined>(undefined)
  const loadAll = useCallback(async () => {
    setFault(undefined)
    await readAll(adminApi.recent).then(setOlder, (error: unknown) => setFault(messageOf(error)))
  }, [])
  const recent = useMemo(
    () => (newest.state === 'ready' ? { ...newest, value: mergeRecent(newest.value, older ?? []) } : newest),
    [newest, older],
  )
  const isAll = older !== undefined || (newest.state === 'ready' && newest.value.length < NEWEST)
  return { recent, isAll, fault, reload, loadAll }
}

function loadNewest(): Promise<RecentExchange[]> {
  return adminApi.recent(NEWEST)
}

/** Reads page by page: one long answer would delay requests of the gateway. */
export async function readAll(
  read: (limit: number, until?: string) => Promise<readonly RecentExchange[]>,
): Promise<RecentExchange[]> {
  let all: RecentExchange[] = []
  for (;;) {
    const page = await read(PAGE, all.at(-1)?.at)
    const next = mergeRecent(all, page)
    if (page.length < PAGE || next.length === all.length) return next
    all = next
  }
}

/** The newest exchanges, then those of an earlier answer. */
export function mergeRecent(
  newest: readonly RecentExchange[],
  older: readonly RecentExchange[],
): RecentExchange[] {
  const known = new Set(newest.map(({ correlationId }) => correlationId))
  return [...newest, ...older.filter(({ correlationId }) => !known.has(correlationId))]
}
