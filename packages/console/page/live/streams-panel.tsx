import type { Summary } from '../api/bodies.ts'

interface StreamsProps {
  /** Absent while unknown. */
  readonly streams: readonly Summary['streams'][number][] | undefined
}

/** The open streams and the limit of each tenant. */
export function StreamsPanel({ streams }: StreamsProps) {
  return (
    <section class="panel" aria-labelledby="streams-title">
      <h2 id="streams-title">Open streams</h2>
      {streams === undefined ? <p class="note">Not known.</p> : <Meters streams={streams} />}
    </section>
  )
}

function Meters({ streams }: { readonly streams: readonly Summary['streams'][number][] }) {
  if (streams.length === 0) {
    return (
      <p class="note">
        No stream is open. Routes with <code>mode: sse</code> stream to callers that accept events; each
        tenant has a limit of its own.
      </p>
    )
  }
  return (
    <ul class="streams">
      {streams.map((each) => (
        <TenantMeter key={each.tenant} {...each} />
      ))}
    </ul>
  )
}

function TenantMeter({ tenant, open, limit }: Summary['streams'][number]) {
  const isFull = limit > 0 && open >= limit
  return (
    <li>
      <span class="meter-name">{tenant}</span>
      <span class="meter-count">
        {open} of {limit}
        {isFull && ' · full'}
      </span>
      <meter min={0} max={Math.max(limit, 1)} value={open} aria-label={`Open streams of ${tenant}`} />
    </li>
  )
}
