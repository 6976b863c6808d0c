import type { Route } from '../api/route-list.ts'
import { placeHash } from '../shell/place.ts'
import { ScrollRegion } from '../shell/scroll-region.tsx'

/** The routes, with their requirements and active plugins. */
export function RouteTable({ routes }: { readonly routes: readonly Route[] }) {
  return (
    <section class="panel" aria-labelledby="routes-title">
      <h2 id="routes-title">Routes</h2>
      <ScrollRegion label="Table of routes">
        <table class="rows routes-table">
          <thead>
            <tr>
              <th scope="col">Route</th>
              <th scope="col">Target</th>
              <th scope="col">Demands</th>
              <th scope="col">Pipeline steps</th>
              <th scope="col">Try</th>
            </tr>
          </thead>
          <tbody>
            {routes.map((route) => (
              <RouteRow key={route.id} route={route} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </section>
  )
}

function RouteRow({ route }: { readonly route: Route }) {
  const { id, method, path, target, plugins } = route
  return (
    <tr>
      <th scope="row" class="request-cell">
        <span class="mono">
          <b>{method}</b> {path}
        </span>
        <span class="note">{id}</span>
      </th>
      <td class="mono">{hostOf(target)}</td>
      <td>{demandsOf(route).join(' · ')}</td>
      <td>
        <ol class="steps">
          {plugins.map(({ name, runs, because }, index) => (
            <li key={name} class={`step ${runs ? 'runs' : 'idle'}`} title={`${name}: ${because}`}>
              {index + 1}
              <span class="hidden">
                {name} {runs ? 'runs' : 'does nothing'}: {because}
              </span>
            </li>
          ))}
        </ol>
      </td>
      <td>
        <a href={placeHash({ view: 'Try', item: id })} aria-label={`Try ${id}`}>
          Try
        </a>
      </td>
    </tr>
  )
}

function demandsOf({ roles, license, mode, executionTimeoutSeconds, conformance }: Route): string[] {
  return [
    roles.length > 0 && `role ${roles.join(', ')}`,
    license !== null && `licence ${license}`,
    mode === 'sse' && 'can stream',
    executionTimeoutSeconds > 0 && `${executionTimeoutSeconds} s at most`,
    conformance !== '' && `conformance ${conformance}`,
  ].filter((demand) => demand !== false)
}

function hostOf(target: string): string {
  return URL.canParse(target) ? new URL(target).host : target
}
