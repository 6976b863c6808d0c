import { useEffect, useRef } from 'preact/hooks'
import { adminApi } from '../api/admin-api.ts'
import type { RequestRow } from '../api/feed-events.ts'
import { callFacts } from '../api/mcp-call.ts'
import { Fact } from '../shell/fact.tsx'
import { formatClock, formatMs } from '../shell/format.ts'
import { OutcomeBadge } from '../shell/outcome-badge.tsx'
import { placeHash } from '../shell/place.ts'
import { StepList } from '../shell/step-list.tsx'
import { useLoad } from '../shell/use-load.ts'

/** A request in the address. Clients may repeat an id, so the gateway's own is there too; empty in older links. */
export interface ChosenRequest {
  readonly requestId: string
  readonly spanId: string
}

interface DetailProps {
  readonly chosen: ChosenRequest
  /** The row of the request, if it is still in the list. */
  readonly row: RequestRow | undefined
  onClose(): void
}

/** One request: its answer, the reason of a refusal, and its steps. */
export function RequestDetail({ chosen: { requestId, spanId }, row, onClose }: DetailProps) {
  const title = useRef<HTMLHeadingElement>(null)
  const [loaded] = useLoad(() => adminApi.exchange(requestId, spanId), `${requestId} ${spanId}`)
  useEffect(() => title.current?.focus(), [requestId, spanId])
  const detail = loaded.state === 'ready' ? loaded.value : undefined
  const shown = row ?? (detail && { ...detail, at: detail.startedAt, durationMs: detail.milliseconds })
  return (
    <section class="request-detail" aria-labelledby="detail-title">
      <div class="toolbar">
        <h2 id="detail-title" tabIndex={-1} ref={title}>
          Request
        </h2>
        <span class="spring" />
        <button type="button" class="quiet" onClick={onClose}>
          Close
        </button>
      </div>
      {row !== undefined && (
        <p class="mono detail-path">
          <b>{row.method}</b> {row.path}
        </p>
      )}
      {shown !== undefined && (
        <>
          <p>
            <OutcomeBadge outcome={shown.outcome} status={shown.status} />
          </p>
          <Facts shown={shown} requestId={requestId} />
        </>
      )}
      {loaded.state === 'loading' && <p class="note">Reading the steps…</p>}
      {loaded.state === 'failed' && <p class="note">The steps are not known. {loaded.message}</p>}
      {detail !== undefined && <StepList steps={detail.steps} />}
    </section>
  )
}

type Shown = Pick<
  RequestRow,
  | 'at'
  | 'durationMs'
  | 'code'
  | 'rule'
  | 'cause'
  | 'redacted'
  | 'route'
  | 'tenant'
  | 'actor'
  | 'correlationId'
  | 'mcp'
>

function Facts({ shown, requestId }: { readonly shown: Shown; readonly requestId: string }) {
  const { at, durationMs, code, rule, cause, redacted, route, tenant, actor, correlationId, mcp } = shown
  return (
    <>
      <dl class="detail-facts">
        {code !== '' && <Fact name="Code" value={code} />}
        {rule !== '' && <Fact name="Rule" value={rule} />}
        {cause !== '' && <Fact name="Cause" value={cause} />}
        {redacted !== '' && <Fact name="Redacted" value={redacted} />}
        <Fact name="Time" value={formatClock(at)} />
        <Fact name="Took" value={formatMs(durationMs)} />
        <Fact name="Route" value={route} />
        <Fact name="Tenant" value={tenant || '–'} />
        <Fact name="Actor" value={actor || '–'} />
        <Fact name="Request id" value={requestId} />
        {mcp !== null && callFacts(mcp).map(([name, value]) => <Fact key={name} name={name} value={value} />)}
      </dl>
      <a href={placeHash({ view: 'Timeline', item: correlationId })}>Open the timeline</a>
    </>
  )
}
