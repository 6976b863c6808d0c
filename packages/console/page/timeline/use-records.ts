import { useCallback, useEffect, useState } from 'preact/hooks'
import type { AuditRecord } from '../api/audit-records.ts'
import { messageOf } from '../shell/use-load.ts'

interface Records {
  readonly records: readonly AuditRecord[] | undefined
  readonly fault: string | undefined
  refresh(): void
}

// Services send records in batches, so an exchange is complete some time after its end.
const LOOK_MS = 1000
const LOOKS = 6

/** The records of an exchange, polled some more times after the last new record. */
export function useRecords(
  correlationId: string,
  load: (correlationId: string) => Promise<AuditRecord[]>,
): Records {
  const [records, setRecords] = useState<readonly AuditRecord[] | undefined>(undefined)
  const [fault, setFault] = useState<string | undefined>(undefined)
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const looking = new AbortController()
    keepLooking(() => load(correlationId), looking.signal, setRecords).then(
      () => setFault(undefined),
      (error: unknown) => looking.signal.aborted || setFault(messageOf(error)),
    )
    return () => looking.abort()
  }, [correlationId, load, turn])
  const refresh = useCallback(() => setTurn((before) => before + 1), [])
  return { records, fault, refresh }
}

async function keepLooking(
  load: () => Promise<AuditRecord[]>,
  signal: AbortSignal,
  onFound: (records: AuditRecord[]) => void,
): Promise<void> {
  let seen = -1
  for (let left = LOOKS; left > 0 && !signal.aborted; left--) {
    const found = await load()
    if (signal.aborted) return
    if (found.length !== seen) {
      onFound(found)
      left = LOOKS
    }
    seen = found.length
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}
