import type { UpstreamInfo } from '../api/bodies.ts'
import { ScrollRegion } from '../shell/scroll-region.tsx'

/** The upstreams with the state of their targets. */
export function UpstreamTable({ upstreams }: { readonly upstreams: readonly UpstreamInfo[] }) {
  return (
    <section class="panel" aria-labelledby="upstreams-title">
      <h2 id="upstreams-title">Upstreams</h2>
      <ScrollRegion label="Table of upstreams">
        <table class="rows routes-table">
          <thead>
            <tr>
              <th scope="col">Upstream</th>
              <th scope="col">Target</th>
              <th scope="col">State</th>
              <th scope="col">Share</th>
              <th scope="col">In progress</th>
            </tr>
          </thead>
          <tbody>
            {upstreams.flatMap(({ name, targets }) =>
              targets.map((target) => (
                <TargetRow key={`${name} ${target.number}`} name={name} target={target} />
              )),
            )}
          </tbody>
        </table>
      </ScrollRegion>
      {upstreams
        .filter(({ resolved }) => !resolved)
        .map(({ name }) => (
          <p key={name} class="note" role="status">
            The DNS name of {name} cannot be resolved; its known targets stay in use.
          </p>
        ))}
    </section>
  )
}

const stateTexts: Readonly<Record<string, string>> = {
  up: 'in use',
  starting: 'back, with a growing share',
  ejected: 'out: its requests failed',
  unhealthy: 'out: its checks fail',
}

function TargetRow({
  name,
  target,
}: {
  readonly name: string
  readonly target: UpstreamInfo['targets'][number]
}) {
  const { number, url, weight, state, active } = target
  return (
    <tr>
      <th scope="row" class="mono">
        {name} {number}
      </th>
      <td class="mono">{url}</td>
      <td>{stateTexts[state] ?? state}</td>
      <td data-name="Share">{weight}</td>
      <td data-name="In progress">{active}</td>
    </tr>
  )
}
