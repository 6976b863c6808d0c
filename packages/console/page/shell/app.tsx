import type { Feed } from '../live/feed.ts'
import { LiveView } from '../live/live-view.tsx'
import { RoutesView } from '../routes/routes-view.tsx'
import { TimelineView } from '../timeline/timeline-view.tsx'
import { TryView } from '../try/try-view.tsx'
import { Header } from './header.tsx'
import { usePlace } from './use-place.ts'

/** The page: a header, and one of the four views. */
export function App({ feed }: { readonly feed: Feed }) {
  const { view, item } = usePlace()
  return (
    <>
      <button type="button" class="skip" onClick={skipToMain}>
        Skip to the content
      </button>
      <Header view={view} feed={feed} />
      <main id="main" tabIndex={-1}>
        <h1 class="hidden">{view}</h1>
        {view === 'Live' && <LiveView feed={feed} />}
        {view === 'Timeline' && <TimelineView correlationId={item} />}
        {view === 'Try' && <TryView routeId={item} feed={feed} />}
        {view === 'Routes' && <RoutesView />}
      </main>
    </>
  )
}

// The address after # is the view's, so the jump is made by hand.
function skipToMain(): void {
  document.querySelector<HTMLElement>('main')?.focus()
}
