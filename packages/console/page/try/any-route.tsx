import type { Route } from '../api/bodies.ts'
import { Field } from '../shell/field.tsx'
import { type Draft, forRoute } from './draft.ts'
import { matchRoute } from './match-route.ts'

interface AnyRouteProps {
  readonly routes: readonly Route[]
  readonly draft: Draft
  readonly fault: string | undefined
  onDraft(draft: Draft): void
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']

/** A request to any method and path, and which route it would use. */
export function AnyRouteFields({ routes, draft, fault, onDraft }: AnyRouteProps) {
  return (
    <>
      <div class="pair any-route">
        <Field label="Method">
          {(id) => (
            <select
              id={id}
              value={draft.method}
              onChange={(event) => onDraft({ ...draft, method: event.currentTarget.value })}
            >
              {methods.map((method) => (
                <option key={method}>{method}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Path" fault={fault}>
          {(id, faultId) => (
            <input
              id={id}
              class="mono"
              spellcheck={false}
              autocomplete="off"
              placeholder="/campaigns/cmp-123"
              aria-invalid={faultId !== undefined}
              aria-describedby={faultId}
              value={draft.path}
              onInput={(event) => onDraft({ ...draft, path: event.currentTarget.value.trim() })}
            />
          )}
        </Field>
      </div>
      <div role="status">{draft.path.startsWith('/') && <Match {...{ routes, draft, onDraft }} />}</div>
    </>
  )
}

function Match({ routes, draft, onDraft }: Omit<AnyRouteProps, 'fault'>) {
  const { method, path } = draft
  const match = matchRoute(routes, method, path)
  switch (match.type) {
    case 'none':
      return (
        <p class="notice warning">
          No route matches <code>{`${method} ${path}`}</code>. No service gets this request.
        </p>
      )
    case 'method':
      return (
        <p class="notice warning">
          No route matches <code>{`${method} ${path}`}</code>. The path has routes for{' '}
          {match.methods.join(', ')}.
        </p>
      )
    case 'route':
      return (
        <p class="note undescribed">
          <span>
            This is the route <code>{match.route.id}</code>.
          </span>
          <button
            type="button"
            class="quiet"
            onClick={() =>
              onDraft({
                ...forRoute(draft, match.route.id),
                params: match.params,
                query: draft.query,
                body: draft.body,
              })
            }
          >
            Use its form
          </button>
        </p>
      )
  }
}
