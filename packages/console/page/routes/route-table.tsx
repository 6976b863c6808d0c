import type { AdminReading } from '@agentic-rest/profile/admin'
import { useState } from 'preact/hooks'
import type { Route } from '../api/bodies.ts'
import { placeHash } from '../shell/place.ts'
import { ScrollRegion } from '../shell/scroll-region.tsx'
import { demandsOf } from './demands.ts'

/** The routes, with their requirements and active plugins. */
export function RouteTable({ routes }: { readonly routes: readonly Route[] }) {
  const [text, setText] = useState('')
  const shown = routes.filter((route) => fits(route, text))
  const hasTools = routes.some(({ tool }) => tool !== null)
  return (
    <section class="panel" aria-labelledby="routes-title">
      <div class="routes-head">
        <h2 id="routes-title">Routes</h2>
        <input
          type="search"
          aria-label="Search the routes"
          placeholder="Search the routes"
          data-search
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <ScrollRegion label="Table of routes">
        <table class="rows routes-table">
          <thead>
            <tr>
              <th scope="col">Route</th>
              <th scope="col">Target</th>
              <th scope="col">Demands</th>
              {hasTools && <th scope="col">MCP tool</th>}
              <th scope="col">Pipeline steps</th>
              <th scope="col">Try</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((route) => (
              <RouteRow key={route.id} route={route} hasTools={hasTools} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {shown.length === 0 && routes.length > 0 && (
        <p class="note" role="status">
          No route fits.
        </p>
      )}
    </section>
  )
}

function fits(route: Route, text: string): boolean {
  const { id, method, path, target, upstream, tool } = route
  const ofTool = tool === null ? [] : [`tool ${tool.name}`, tool.fault]
  const words = [id, `${method} ${path}`, target ?? '', upstream ?? '', ...demandsOf(route), ...ofTool]
    .join('\n')
    .toLowerCase()
  return words.includes(text.trim().toLowerCase())
}

function RouteRow({ route, hasTools }: { readonly route: Route; readonly hasTools: boolean }) {
  const { id, method, path, target, upstream, plugins, tool } = route
  return (
    <tr>
      <th scope="row" class="request-cell">
        <span class="mono">
          <b>{method}</b> {path}
        </span>
        <span class="note">{id}</span>
      </th>
      <td class="mono">{upstream === null ? hostOf(target ?? '') : `upstream ${upstream}`}</td>
      <td>{demandsOf(route).join(' · ')}</td>
      {hasTools && (tool === null ? <td class="none">–</td> : <ToolCell tool={tool} />)}
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

/** The name of a tool, and the reason if clients do not see it at the moment. */
function ToolCell({ tool: { name, fault, why } }: { readonly tool: AdminReading<'RouteTool'> }) {
  return (
    <td class="tool-cell" data-name="MCP tool">
      <span class="mono">{name}</span>
      {fault !== '' && (
        <p class="note">
          no tool now: {why} ({fault})
        </p>
      )}
    </td>
  )
}

function hostOf(target: string): string {
  return URL.canParse(target) ? new URL(target).host : target
}
