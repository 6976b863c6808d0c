import { useMemo, useRef, useState } from 'preact/hooks'
import { adminApi } from '../api/admin-api.ts'
import type { GatewayInfo } from '../api/gateway-info.ts'
import type { Route, RouteList } from '../api/route-list.ts'
import type { Feed } from '../live/feed.ts'
import { useKept } from '../shell/kept.ts'
import { Empty, Notice } from '../shell/notice.tsx'
import { useLoad } from '../shell/use-load.ts'
import { goTo } from '../shell/use-place.ts'
import { type Draft, forRoute, isStreamed, parseDraft, writeDraft } from './draft.ts'
import { type Exchange, type Sending, startExchange } from './exchange.ts'
import { ExchangePanel } from './exchange-panel.tsx'
import { readDraft } from './read-draft.ts'
import { RequestForm } from './request-form.tsx'

interface TryProps {
  readonly routeId: string
  readonly feed: Feed
}

/** Pick a route, get a token, send, and finish what the answer asks for. */
export function TryView({ routeId, feed }: TryProps) {
  const [gateway] = useLoad(adminApi.gateway)
  const [list] = useLoad(adminApi.routes)
  const failed = [gateway, list].find((each) => each.state === 'failed')
  if (failed?.state === 'failed') return <Notice kind="fault" title={failed.message} />
  if (gateway.state !== 'ready' || list.state !== 'ready') return <p class="note">Reading the routes…</p>
  if (list.value.routes.length === 0) return <Empty title="The gateway has no routes." />
  return <Bench routeId={routeId} feed={feed} gateway={gateway.value} list={list.value} />
}

interface BenchProps extends TryProps {
  readonly gateway: GatewayInfo
  readonly list: RouteList
}

function Bench({ routeId, feed, gateway, list }: BenchProps) {
  const [draft, setDraft, route] = useDraft(routeId, list.routes, gateway)
  const [token, setToken] = useState('')
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map())
  const [exchange, setExchange] = useState<Exchange | undefined>(undefined)
  const turn = useRef(0)
  function prepare(): Sending | undefined {
    const reading = readDraft(draft, route)
    setFaults(reading.ok ? new Map() : reading.faults)
    if (!reading.ok) return undefined
    const { request } = reading
    return { baseUrl: gateway.gatewayUrl, token, request, isStream: isStreamed(route, draft) }
  }
  function send(): void {
    const sending = prepare()
    if (sending === undefined) return
    exchange?.stop()
    turn.current += 1
    setExchange(startExchange(sending))
  }
  return (
    <div class="try">
      <RequestForm
        gateway={gateway}
        list={list}
        route={route}
        draft={draft}
        faults={faults}
        token={token}
        feed={feed}
        onDraft={setDraft}
        onToken={setToken}
        onSend={send}
        prepare={prepare}
      />
      {exchange === undefined ? (
        <Empty title="Nothing sent yet.">
          <p>
            Leave an input out and the service asks for it. The answer becomes a form here, an approval a
            button, work in the background a progress bar.
          </p>
        </Empty>
      ) : (
        <ExchangePanel key={turn.current} exchange={exchange} gateway={gateway} token={token} />
      )}
    </div>
  )
}

/** The form, kept over a reload. The address names the route, so that a link leads to it. */
function useDraft(
  routeId: string,
  routes: readonly Route[],
  { people }: GatewayInfo,
): readonly [Draft, (draft: Draft) => void, Route] {
  const [kept, setKept] = useKept('try')
  const stored = useMemo(() => parseDraft(kept), [kept])
  const route = routes.find(({ id }) => id === (routeId || stored.routeId)) ?? preferredRoute(routes)
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

// Something that can ask questions is a better start than something that only reads.
function preferredRoute(routes: readonly Route[]): Route {
  const found = routes.find(({ method, path }) => method === 'POST' && path.includes('{')) ?? routes[0]
  if (found === undefined) throw new TypeError('there is no route')
  return found
}
