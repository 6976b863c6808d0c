import { useEffect, useMemo, useState } from 'preact/hooks'
import { adminApi } from '../api/admin-api.ts'
import { sendAsMe } from '../api/as-me.ts'
import type { GatewayInfo, Route, RouteList } from '../api/bodies.ts'
import type { Feed } from '../live/feed.ts'
import { useKept } from '../shell/kept.ts'
import { LoadFault } from '../shell/load-fault.tsx'
import { Empty } from '../shell/notice.tsx'
import { useStore } from '../shell/store.ts'
import { useLoad } from '../shell/use-load.ts'
import { goTo } from '../shell/use-place.ts'
import type { Bench, Sent } from './bench.ts'
import { ANY_ROUTE, anyRoute, type Draft, forRoute, isStreamed, parseDraft, writeDraft } from './draft.ts'
import type { Sending } from './exchange.ts'
import { ExchangePanel } from './exchange-panel.tsx'
import { type HistoryEntry, restoredDraft } from './history.ts'
import { HistoryPanel } from './history-panel.tsx'
import { readDraft } from './read-draft.ts'
import { RequestForm } from './request-form.tsx'
import { useOperation } from './use-operation.ts'

interface TryProps {
  readonly routeId: string
  readonly feed: Feed
  readonly bench: Bench
}

/** The Try view: choose a route, get a token, send, and complete the exchange. */
export function TryView({ routeId, feed, bench }: TryProps) {
  const [loaded, reload] = useLoad(gatewayAndRoutes)
  if (loaded.state === 'failed') return <LoadFault message={loaded.message} onRetry={reload} />
  if (loaded.state === 'loading') return <p class="note">Reading the routes…</p>
  const [gateway, list] = loaded.value
  if (list.routes.length === 0) return <Empty title="The gateway has no routes." />
  return <Workbench {...{ routeId, feed, bench, gateway, list }} />
}

function gatewayAndRoutes(): Promise<[GatewayInfo, RouteList]> {
  return Promise.all([adminApi.gateway(), adminApi.routes()])
}

interface WorkbenchProps extends TryProps {
  readonly gateway: GatewayInfo
  readonly list: RouteList
}

function Workbench({ routeId, feed, bench, gateway, list }: WorkbenchProps) {
  const [draft, setDraft, route] = useDraft(routeId, list.routes, gateway)
  const { token, tokenNote, sent } = useStore(bench)
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map())
  const [described, describeAgain] = useOperation(route)
  const operation = described.state === 'known' ? described.operation : undefined
  const isLocked = useQuestion(sent)
  const isUnknown = ![...list.routes.map(({ id }) => id), ANY_ROUTE, ''].includes(routeId)
  function prepare(): Sending | undefined {
    const reading = readDraft(draft, route, operation)
    setFaults(reading.ok ? new Map() : reading.faults)
    if (!reading.ok) return undefined
    const { request } = reading
    const send = token === '' && gateway.signIn ? sendAsMe : undefined
    const stream = { isStream: isStreamed(route, draft), endsTyped: operation?.streams === true }
    return { baseUrl: gateway.gatewayUrl, token, send, request, ...stream }
  }
  function send(): void {
    const sending = prepare()
    if (sending !== undefined) bench.send(sending, { draft, route })
  }
  function change(next: Draft): void {
    setFaults(next.routeId === draft.routeId ? stillFaulty(next) : new Map())
    setDraft(next)
  }
  function stillFaulty(next: Draft): ReadonlyMap<string, string> {
    if (faults.size === 0) return faults
    const reading = readDraft(next, route.id === ANY_ROUTE ? anyRoute(next) : route, operation)
    return new Map(reading.ok ? [] : [...reading.faults].filter(([name]) => faults.has(name)))
  }
  function restore(entry: HistoryEntry): void {
    const kept = restoredDraft(entry, list.routes)
    // The token in the form belongs to its person.
    if (kept.sub !== draft.sub) bench.setToken('')
    change(kept)
  }
  return (
    <div class="try">
      <div class="try-start">
        <RequestForm
          {...{ gateway, list, route, draft, faults, token, tokenNote, feed, described, prepare, isLocked }}
          unknownId={isUnknown ? routeId : ''}
          onDraft={change}
          onDescribe={describeAgain}
          onToken={bench.setToken}
          onSend={send}
        />
        <HistoryPanel history={bench.history} onRestore={restore} />
      </div>
      {sent === undefined ? (
        <Empty title="Nothing sent yet.">
          <p>
            Leave an input out and the service asks for it. The answer becomes a form here, an approval a
            button, work in the background a progress bar.
          </p>
        </Empty>
      ) : (
        <ExchangePanel key={sent.turn} sent={sent} gateway={gateway} />
      )}
    </div>
  )
}

/** Whether the exchange that was sent last waits for an answer of the person. */
function useQuestion(sent: Sent | undefined): boolean {
  const [isAsking, setIsAsking] = useState(false)
  useEffect(() => {
    const exchange = sent?.exchange
    const look = () => setIsAsking(exchange?.get().question !== undefined)
    look()
    return exchange?.subscribe(look)
  }, [sent])
  return isAsking
}

/** The form, which survives a reload. The route is in the address, so that links work. */
function useDraft(
  routeId: string,
  routes: readonly Route[],
  { people }: GatewayInfo,
): readonly [Draft, (draft: Draft) => void, Route] {
  const [kept, setKept] = useKept('try')
  const stored = useMemo(() => parseDraft(kept), [kept])
  const id = routeId || stored.routeId
  const route =
    id === ANY_ROUTE ? anyRoute(stored) : (routes.find((each) => each.id === id) ?? preferredRoute(routes))
  const person = people.find(({ sub }) => sub === stored.sub) ?? people[0]
  const draft: Draft = {
    ...forRoute(stored, route.id),
    sub: person?.sub ?? '',
    tenant: stored.sub === person?.sub ? stored.tenant : (person?.tenant ?? stored.tenant),
  }
  function change(next: Draft): void {
    setKept(writeDraft(next))
    if (next.routeId !== routeId) goTo({ view: 'Try', item: next.routeId })
  }
  return [draft, change, route]
}

// A route that can ask questions is a better start than one that only reads.
function preferredRoute(routes: readonly Route[]): Route {
  const found = routes.find(({ method, path }) => method === 'POST' && path.includes('{')) ?? routes[0]
  if (found === undefined) throw new TypeError('there is no route')
  return found
}
