import { useCallback, useEffect, useRef } from 'preact/hooks'
import type { Inbox } from '../inbox/inbox.ts'
import { InboxView } from '../inbox/inbox-view.tsx'
import { useInbox } from '../inbox/use-inbox.ts'
import type { Feed } from '../live/feed.ts'
import { LiveView } from '../live/live-view.tsx'
import { RoutesView } from '../routes/routes-view.tsx'
import { TimelineView } from '../timeline/timeline-view.tsx'
import type { Bench } from '../try/bench.ts'
import { TryView } from '../try/try-view.tsx'
import { UsageView } from '../usage/usage-view.tsx'
import { Header } from './header.tsx'
import { onKey } from './keys.ts'
import { KeysDialog } from './keys-dialog.tsx'
import { type Place, titleOf } from './place.ts'
import { takeLostFocus } from './take-focus.ts'
import { usePlace } from './use-place.ts'

interface AppProps {
  readonly feed: Feed
  readonly bench: Bench
  readonly inbox: Inbox
}

/** The page: a header, and one of the views. */
export function App({ feed, bench, inbox }: AppProps) {
  const place = usePlace()
  const { view, item, query = '' } = place
  const heading = useArrival(place)
  useInbox(inbox, view === 'Inbox')
  const dialog = useRef<HTMLDialogElement>(null)
  const openKeys = useCallback(() => dialog.current?.showModal(), [])
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event, openKeys)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [openKeys])
  function forget(): void {
    bench.forget()
    inbox.forget()
  }
  return (
    <>
      <button type="button" class="skip" onClick={skipToMain}>
        Skip to the content
      </button>
      <Header {...{ view, feed, inbox }} onKeys={openKeys} onSignOut={forget} />
      <main id="main" tabIndex={-1}>
        <h1 class="hidden" tabIndex={-1} ref={heading}>
          {view}
        </h1>
        {view === 'Live' && <LiveView feed={feed} />}
        {view === 'Timeline' && <TimelineView correlationId={item} />}
        {view === 'Try' && <TryView routeId={item} feed={feed} bench={bench} />}
        {view === 'Inbox' && <InboxView inbox={inbox} approvalId={item} query={query} />}
        {view === 'Routes' && <RoutesView />}
        {view === 'Usage' && <UsageView tenant={item} />}
      </main>
      <KeysDialog dialog={dialog} />
    </>
  )
}

/** Updates the title, and moves the focus if the used link is gone. */
function useArrival(place: Place) {
  const { view, item } = place
  const heading = useRef<HTMLHeadingElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    document.title = titleOf(place)
    if (!isFirst.current) takeLostFocus(heading.current)
    isFirst.current = false
  }, [view, item])
  return heading
}

// The fragment of the address names the view, so the jump is done in code.
function skipToMain(): void {
  document.querySelector<HTMLElement>('main')?.focus()
}
