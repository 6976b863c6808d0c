import { useMemo } from 'preact/hooks'
import type { Summary } from '../api/bodies.ts'
import { formatMs } from '../shell/format.ts'
import { Empty, Notice } from '../shell/notice.tsx'
import { families, familyNames, outcomeWords } from '../shell/outcome-family.ts'
import { useStore } from '../shell/store.ts'
import { Chart, type ChartSeries } from './chart.tsx'
import type { Feed } from './feed.ts'
import { RequestPanel } from './request-panel.tsx'
import { type Figures, figuresOf, latencyColumns, outcomeColumns, outcomeTotals, windowOf } from './series.ts'
import { StreamsPanel } from './streams-panel.tsx'

// In drawing order: the last one is at the bottom.
const outcomeSeries: readonly ChartSeries[] = families
  .toReversed()
  .map((family) => ({ label: familyNames[family], colour: `--${family}` }))

const latencySeries: readonly ChartSeries[] = [
  { label: 'p50', colour: '--accent' },
  { label: 'p99', colour: '--line-strong' },
]

/** The live view of requests. */
export function LiveView({ feed }: { readonly feed: Feed }) {
  const { summaries, connection, heardMs } = useStore(feed)
  const figures = useMemo(() => figuresOf(summaries), [summaries])
  const isStale = connection === 'lost' || connection === 'silent' || connection === 'signedOut'
  return (
    <div class="live">
      {isStale && <StaleNotice connection={connection} heardMs={heardMs} />}
      <Tiles figures={figures} isStale={isStale} isKnown={summaries.length > 0} />
      <div class="panels">
        <OutcomePanel summaries={summaries} />
        <LatencyPanel summaries={summaries} figures={figures} />
        <StreamsPanel streams={isStale ? undefined : (summaries.at(-1)?.streams ?? [])} />
      </div>
      <RequestPanel feed={feed} />
    </div>
  )
}

interface StaleProps {
  readonly connection: 'lost' | 'silent' | 'signedOut'
  readonly heardMs: number
}

function StaleNotice({ connection, heardMs }: StaleProps) {
  if (connection === 'signedOut') {
    return (
      <Notice kind="fault" title="You are signed out.">
        <p>The values below are old. Reload the page to sign in.</p>
      </Notice>
    )
  }
  const since = new Date(heardMs).toLocaleTimeString([], { hour12: false })
  return (
    <Notice kind="fault" title="The gateway does not answer.">
      <p>
        {connection === 'silent'
          ? `Nothing has come since ${since}, though the connection is open: the gateway hangs.`
          : `The connection is closed since ${since}.`}{' '}
        The values below are old. The page continues when the gateway is back.
      </p>
    </Notice>
  )
}

interface TilesProps {
  readonly figures: Figures
  /** The notice for a lost connection: current values are unknown. */
  readonly isStale: boolean
  /** A summary has come. The first one takes a second. */
  readonly isKnown: boolean
}

function Tiles({
  figures: { window, perSecond, inFlight, latency, plugins, upstream, failedShare },
  isStale,
  isKnown,
}: TilesProps) {
  const isNow = isKnown && !isStale
  const slowEnd = (quantiles: Figures['latency']) =>
    isKnown ? slowEndWords(quantiles, window) : 'not known yet'
  const rate = perSecond >= 10 ? Math.round(perSecond).toLocaleString('en') : perSecond.toFixed(1)
  return (
    <dl class="tiles">
      <Tile name="Requests per second" value={isNow ? rate : '–'} note={isNow ? window : notKnown(isStale)} />
      <Tile
        name="In flight"
        value={isNow ? String(inFlight) : '–'}
        note={isNow ? 'now' : notKnown(isStale)}
      />
      <Tile name="Latency" value={latency ? formatMs(latency.p50) : '–'} note={slowEnd(latency)} />
      <Tile name="Upstream time" value={upstream ? formatMs(upstream.p50) : '–'} note={slowEnd(upstream)} />
      <Tile name="Plugin time" value={plugins ? formatMs(plugins.p50) : '–'} note={slowEnd(plugins)} />
      <Tile
        name="Failed"
        value={failedShare === null ? '–' : `${(failedShare * 100).toFixed(1)} %`}
        note={isKnown ? window : 'not known yet'}
      />
    </dl>
  )
}

function notKnown(isStale: boolean): string {
  return isStale ? 'not known' : 'not known yet'
}

function slowEndWords(quantiles: Figures['latency'], window: string): string {
  return quantiles === null ? `no requests · ${window}` : `p50 · p99 ${formatMs(quantiles.p99)} · ${window}`
}

function Tile({
  name,
  value,
  note,
}: {
  readonly name: string
  readonly value: string
  readonly note: string
}) {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd>
        <span class="figure">{value}</span>
        <span class="note">{note}</span>
      </dd>
    </div>
  )
}

function OutcomePanel({ summaries }: { readonly summaries: readonly Summary[] }) {
  const columns = useMemo(() => outcomeColumns(summaries), [summaries])
  const totals = useMemo(() => outcomeTotals(summaries), [summaries])
  return (
    <section class="panel" aria-labelledby="outcomes-title">
      <h2 id="outcomes-title">Outcomes per second</h2>
      <Chart
        label="Outcomes per second by family over the last three minutes; the counts are listed below"
        kind="bars"
        series={outcomeSeries}
        columns={columns}
        format={(value) => (Number.isInteger(value) ? String(value) : '')}
      />
      <ul class="legend">
        {families.map((family) => (
          <li key={family}>
            <i class={`key ${family}`} />
            {familyNames[family]}
          </li>
        ))}
      </ul>
      {totals.length === 0 ? (
        <p class="note">
          {summaries.length === 0 ? 'Not known yet.' : `No outcome · ${windowOf(summaries)}`}
        </p>
      ) : (
        <ul class="totals" aria-label={`Outcomes, ${windowOf(summaries)}`}>
          <li class="note">{windowOf(summaries)}</li>
          {totals.map(([outcome, count]) => (
            <li key={outcome}>
              {outcomeWords(outcome)} <b>{count.toLocaleString('en')}</b>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function LatencyPanel({
  summaries,
  figures,
}: {
  readonly summaries: readonly Summary[]
  readonly figures: Figures
}) {
  const columns = useMemo(() => latencyColumns(summaries), [summaries])
  return (
    <section class="panel" aria-labelledby="latency-title">
      <h2 id="latency-title">Latency</h2>
      <Chart
        label="Latency over the last three minutes, median and 99th percentile"
        kind="lines"
        series={latencySeries}
        columns={columns}
        format={formatMs}
      />
      <ul class="legend">
        <li>
          <i class="key accent" />
          p50
        </li>
        <li>
          <i class="key slow" />
          p99
        </li>
      </ul>
      <TimeSplit figures={figures} />
    </section>
  )
}

/** The median durations of the stages of a request; refused requests have no upstream time. */
function TimeSplit({ figures: { window, latency, upstream, plugins } }: { readonly figures: Figures }) {
  if (latency === null) return <Empty title={`Nothing measured · ${window}`} />
  const whole = Math.max((upstream?.p50 ?? 0) + (plugins?.p50 ?? 0), Number.EPSILON)
  const share = (ms: number) => `${(ms / whole) * 100}%`
  return (
    <div class="split">
      <div class="split-bar" aria-hidden="true">
        <i class="plugins" style={{ width: share(plugins?.p50 ?? 0) }} />
        <i class="upstream" style={{ width: share(upstream?.p50 ?? 0) }} />
      </div>
      <p class="note">
        <i class="key plugins" /> Plugins {formatMs(plugins?.p50 ?? 0)} <i class="key upstream" /> Upstream{' '}
        {upstream === null ? 'not called' : `${formatMs(upstream.p50)} of forwarded requests`} · {window}
      </p>
    </div>
  )
}
