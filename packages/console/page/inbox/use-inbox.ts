import { useEffect } from 'preact/hooks'
import { adminApi } from '../api/admin-api.ts'
import { useRepeat } from '../shell/use-load.ts'
import type { Inbox } from './inbox.ts'

const OPEN_MS = 10_000
// Elsewhere only the count in the navigation needs it.
const ELSEWHERE_MS = 30_000

/** Keeps the inbox current while the page is visible: often in its view, less often elsewhere. */
export function useInbox(inbox: Inbox, isOpen: boolean): void {
  const { refresh, resume } = inbox
  useRepeat(refresh, isOpen ? OPEN_MS : ELSEWHERE_MS)
  useEffect(() => {
    const look = () => document.hidden || void refresh()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [refresh])
  useEffect(() => {
    // Without an answer nobody is resumed; the view reports the failure.
    adminApi.gateway().then(resume, () => {})
  }, [resume])
}
