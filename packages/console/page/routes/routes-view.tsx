import { adminApi } from '../api/admin-api.ts'
import type { AuditRecord } from '../api/audit-records.ts'
import type { RouteList } from '../api/bodies.ts'
import { LoadFault } from '../shell/load-fault.tsx'
import { useLoad, useRepeat } from '../shell/use-load.ts'
import { ConfigurationPanel } from './configuration-panel.tsx'
import { PipelinePanel } from './pipeline-panel.tsx'
import { RouteTable } from './route-table.tsx'
import { buildTopology } from './topology.ts'
import { TopologyPicture } from './topology-picture.tsx'
import { UpstreamTable } from './upstream-table.tsx'

const REFRESH_MS = 3000

/** The configuration, the plugins, the routes and the upstreams of the gateway. */
export function RoutesView() {
  const [list, reload] = useLoad(adminApi.routes)
  useRepeat(reload, REFRESH_MS)
  if (list.state === 'loading') return <p class="note">Reading the routes…</p>
  if (list.state === 'failed') return <LoadFault message={list.message} onRetry={reload} />
  return (
    <div class="routes">
      <ConfigurationPanel />
      <Picture list={list.value} />
      <PipelinePanel plugins={list.value.plugins} />
      <RouteTable routes={list.value.routes} />
      {list.value.upstreams.length > 0 && <UpstreamTable upstreams={list.value.upstreams} />}
    </div>
  )
}

function Picture({ list }: { readonly list: RouteList }) {
  const [seen] = useLoad(someExchanges)
  const topology = buildTopology(list, seen.state === 'ready' ? seen.value : [])
  return (
    <section class="panel" aria-labelledby="picture-title">
      <h2 id="picture-title">Gateway, services and agents</h2>
      <TopologyPicture topology={topology} />
      <p class="note">
        Services come from the configuration. Their names, and the agents behind them, come from records of
        exchanges.
      </p>
    </section>
  )
}

const RECENT = 100
const MAX_EXCHANGES = 12

/** The records of some exchanges with several parts, to derive who calls whom. */
async function someExchanges(): Promise<AuditRecord[][]> {
  const recent = await adminApi.recent(RECENT)
  const different = new Map(
    recent.map((exchange) => [[exchange.requests[0]?.route, ...exchange.parts].join(' '), exchange]),
  )
  const chosen = [...different.values()]
    .toSorted((a, b) => b.parts.length - a.parts.length)
    .slice(0, MAX_EXCHANGES)
  return Promise.all(chosen.map(({ correlationId }) => adminApi.records(correlationId)))
}
