import { useMemo } from 'preact/hooks'
import type { AuditRecord } from '../api/audit-records.ts'
import { callFacts, callOfRecord, type McpCall } from '../api/mcp-call.ts'
import { downloadJson } from '../shell/download.ts'
import { Fact } from '../shell/fact.tsx'
import { formatClock, formatMs } from '../shell/format.ts'
import { JsonText } from '../shell/json-text.tsx'
import { Notice } from '../shell/notice.tsx'
import { OutcomeBadge } from '../shell/outcome-badge.tsx'
import { outcomeWords, statusOfOutcome } from '../shell/outcome-family.ts'
import { buildHops, type Hop, operationOf, outcomeIn } from './build-hops.ts'
import { titleOf } from './exchange-state.ts'
import { type Swallowed, swallowedIn } from './find-swallowed.ts'
import { extentOf } from './flatten-hops.ts'
import { foldHops } from './fold-hops.ts'
import { HopGraph } from './hop-graph.tsx'
import { endsOf, requestsOf } from './hop-requests.ts'
import { layoutGraph } from './layout-graph.ts'
import { StateBadge } from './state-badge.tsx'
import { Waterfall } from './waterfall.tsx'

interface ExchangeProps {
  readonly records: readonly AuditRecord[]
  onRefresh(): void
}

/** The records of one exchange. */
export function ExchangeRecords({ records, onRefresh }: ExchangeProps) {
  const hops = useMemo(() => buildHops(records), [records])
  const swallowed = useMemo(() => swallowedIn(hops), [hops])
  const graph = useMemo(() => layoutGraph(foldHops(hops), swallowed), [hops, swallowed])
  const extent = extentOf(hops)
  return (
    <>
      <Summary records={records} hops={hops} tookMs={extent.endMs - extent.startMs} onRefresh={onRefresh} />
      {swallowed.map((each) => (
        <SwallowedNotice key={each.child.requestId} swallowed={each} />
      ))}
      <section class="panel" aria-labelledby="graph-title">
        <h2 id="graph-title">Hops</h2>
        <HopGraph graph={graph} />
      </section>
      <section class="panel" aria-labelledby="waterfall-title">
        <h2 id="waterfall-title">Waterfall</h2>
        <Waterfall hops={hops} extent={extent} swallowed={swallowed} />
      </section>
      <RawRecords records={records} />
    </>
  )
}

interface SummaryProps extends ExchangeProps {
  readonly hops: readonly Hop[]
  readonly tookMs: number
}

function Summary({ records, hops, tookMs, onRefresh }: SummaryProps) {
  const parts = [...new Set(records.map(({ part }) => part))]
  const tenants = [...new Set(records.map(({ tenantId }) => tenantId))].filter((tenant) => tenant !== '')
  const title = titleOf(requestsOf(hops), endsOf(hops))
  const background = title?.state.background
  const call = newestCall(records)
  return (
    <div class="summary">
      {title !== undefined && (
        <p class="title">
          <b>{title.name}</b> <StateBadge state={title.state} />{' '}
          {title.decidedBy !== undefined && <span class="note">{title.decidedBy}</span>}
        </p>
      )}
      <dl class="fact-row">
        <Fact name="Began" value={formatClock(records[0]?.timestamp ?? '')} />
        <Fact name="Took" value={formatMs(tookMs)} />
        {background?.endMs !== undefined && (
          <Fact name="In the background" value={formatMs(background.endMs - background.startMs)} />
        )}
        <Fact name={hops.length === 1 ? 'Request' : 'Requests'} value={String(hops.length)} />
        <Fact name="Tenant" value={tenants.join(', ') || '–'} />
        <Fact name="Parts" value={parts.join(', ')} />
        {call !== undefined &&
          callFacts(call).map(([name, value]) => <Fact key={name} name={name} value={value} />)}
      </dl>
      {tenants.length > 1 && (
        <p class="note">Several tenants sent this id. The title is that of {tenants[0]}.</p>
      )}
      <button type="button" class="quiet" onClick={onRefresh}>
        Refresh
      </button>
    </div>
  )
}

/** The MCP call of the exchange, in its newest round. */
function newestCall(records: readonly AuditRecord[]): McpCall | undefined {
  const calls = records.map(({ attributes }) => callOfRecord(attributes)).filter((call) => call !== null)
  return calls.toSorted((a, b) => b.round - a.round)[0]
}

function SwallowedNotice({
  swallowed: { parent, child, from, to, toStatus },
}: {
  readonly swallowed: Swallowed
}) {
  const [before, after] = [nameWithStatus(from), nameWithStatus(to, toStatus)]
  const inner = child.service?.part ?? child.gateway?.part
  const outer = parent.service?.part ?? parent.gateway?.part
  return (
    <Notice kind="fault" title={`An outcome was swallowed: ${before} became ${after}.`}>
      <p>
        {inner} answered <code>{operationOf(child)}</code> with {before}. Instead of passing it on, {outer}{' '}
        answered <code>{operationOf(parent)}</code> with {after}.
      </p>
    </Notice>
  )
}

function nameWithStatus(outcome: string, status = statusOfOutcome(outcome)): string {
  return [status, outcomeWords(outcome)].filter(Boolean).join(' ')
}

/** Saves the records of an exchange as the admin API gives them. */
function saveRecords(records: readonly AuditRecord[]): void {
  const correlationId = records[0]?.correlationId ?? ''
  // A client may choose any characters for its id.
  const name = correlationId.replace(/[^\w.-]+/g, '_').slice(0, 60)
  downloadJson(`exchange-${name}`, { correlationId, records: records.map(({ raw }) => raw) })
}

function RawRecords({ records }: { readonly records: readonly AuditRecord[] }) {
  return (
    <section class="panel" aria-labelledby="records-title">
      <div class="toolbar recent-toolbar">
        <h2 id="records-title">Records</h2>
        <span class="spring" />
        <button type="button" onClick={() => saveRecords(records)}>
          Export
        </button>
      </div>
      <ul class="records">
        {records.map((record, index) => (
          <li key={index}>
            <details>
              <summary>
                <span class="mono">{formatClock(record.timestamp)}</span> <b>{record.part}</b>{' '}
                <OutcomeBadge {...outcomeIn(record)} />{' '}
                <span class="note">
                  {record.eventType} · {record.operation}
                </span>
              </summary>
              <JsonText label={`Record ${index + 1} of ${record.part}`} value={record.raw} />
            </details>
          </li>
        ))}
      </ul>
    </section>
  )
}
