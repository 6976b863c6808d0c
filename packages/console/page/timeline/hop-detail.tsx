import { conditions } from '@agentic-rest/profile'
import { AdminError, adminApi } from '../api/admin-api.ts'
import type { KeptHeader } from '../api/bodies.ts'
import type { ExchangeDetail } from '../api/exchange-detail.ts'
import { callFacts, callOfRecord } from '../api/mcp-call.ts'
import { Fact } from '../shell/fact.tsx'
import { formatMs } from '../shell/format.ts'
import { LoadFault } from '../shell/load-fault.tsx'
import { StepList } from '../shell/step-list.tsx'
import { useLoad } from '../shell/use-load.ts'
import type { Span } from './build-hops.ts'
import type { Bar } from './flatten-hops.ts'
import { streamEnd, streamNote } from './stream-facts.ts'

// The gateway of this page; other gateways and services only post their records.
const OWN_PART = 'gateway'

/** Everything known about one hop: the facts of its record, and at this gateway its steps and headers. */
export function HopDetail({ bar: { span, role } }: { readonly bar: Bar }) {
  return (
    <div class="hop-detail">
      <dl class="fact-row">
        {factsOf(span).map(([name, value]) => (
          <Fact key={name} name={name} value={value} />
        ))}
      </dl>
      {role === 'gateway' && span.part === OWN_PART && <GatewayDetail span={span} />}
    </div>
  )
}

const shownAttributes: readonly (readonly [name: string, attribute: string])[] = [
  ['Status', 'status'],
  ['Code', 'code'],
  ['Rule', 'rule'],
  ['Cause', 'cause'],
  ['Step', 'step'],
  ['Redacted', 'redacted'],
  ['Client address', 'client_address'],
  ['Upstream', 'upstream'],
]

const durations: readonly (readonly [name: string, attribute: string])[] = [
  ['Plugins', 'plugin_ms'],
  ['Upstream time', 'upstream_ms'],
]

function factsOf({ record }: Span): (readonly [string, string])[] {
  const text = (name: string) => String(record.attributes.get(name) ?? '')
  const call = callOfRecord(record.attributes)
  const facts = [
    ['Request', [text('method'), text('path')].join(' ').trim()],
    ['Request id', record.requestId],
    ['Actor', record.actorId],
    ['Resource', record.resourceId],
    ...(call === null ? [] : callFacts(call)),
    ['Stream', [streamNote(record), streamEnd(record)].filter(Boolean).join(', ')],
    ...shownAttributes.map(([name, attribute]) => [name, text(attribute)] as const),
    ...durations.map(
      ([name, attribute]) => [name, text(attribute) && formatMs(Number(text(attribute)))] as const,
    ),
  ] as const
  return facts.filter(([, value]) => value !== '')
}

function GatewayDetail({ span: { record } }: { readonly span: Span }) {
  const spanId = String(record.attributes.get('span_id') ?? '')
  const [detail, reload] = useLoad(
    () => readDetail(record.requestId, spanId),
    `${record.requestId} ${spanId}`,
  )
  if (detail.state === 'loading') return <p class="note">Reading…</p>
  if (detail.state === 'failed') return <LoadFault message={detail.message} onRetry={reload} />
  if (detail.value === undefined) return <p class="note">The gateway no longer remembers its steps.</p>
  return (
    <>
      <div>
        <h3>Steps</h3>
        <StepList steps={detail.value.steps} />
      </div>
      <HeaderLists detail={detail.value} />
    </>
  )
}

/** `undefined` if the gateway does not remember the request. */
async function readDetail(requestId: string, spanId: string): Promise<ExchangeDetail | undefined> {
  try {
    return await adminApi.exchange(requestId, spanId)
  } catch (error) {
    if (error instanceof AdminError && error.status === conditions.not_found) return undefined
    throw error
  }
}

function HeaderLists({ detail }: { readonly detail: ExchangeDetail }) {
  return (
    <div class="header-lists">
      <HeaderList title="Request headers" headers={detail.headers.request} />
      <HeaderList title="Response headers" headers={detail.headers.response} />
    </div>
  )
}

interface HeaderListProps {
  readonly title: string
  readonly headers: readonly KeptHeader[]
}

function HeaderList({ title, headers }: HeaderListProps) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {headers.length === 0 && <p class="note">None is kept.</p>}
      <dl class="header-list">
        {headers.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
