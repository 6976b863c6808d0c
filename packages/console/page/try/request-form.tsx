import { useState } from 'preact/hooks'
import type { GatewayInfo } from '../api/gateway-info.ts'
import type { Route, RouteList } from '../api/route-list.ts'
import type { Feed } from '../live/feed.ts'
import { CopyButton } from '../shell/copy-button.tsx'
import { Field } from '../shell/field.tsx'
import { captureRequest } from './capture-request.ts'
import { type Draft, forRoute, hasBody, hasOptions, isStreamed, paramNames } from './draft.ts'
import type { Sending } from './exchange.ts'
import { suggestParam } from './suggest-params.ts'
import { toCurl } from './to-curl.ts'
import { toSdkCode } from './to-sdk-code.ts'
import { WhoSends } from './who-sends.tsx'

interface FormProps {
  readonly gateway: GatewayInfo
  readonly list: RouteList
  readonly route: Route
  readonly draft: Draft
  readonly faults: ReadonlyMap<string, string>
  readonly token: string
  readonly tokenNote: string
  readonly feed: Feed
  onDraft(draft: Draft): void
  onToken(token: string, note?: string): void
  onSend(): void
  prepare(): Sending | undefined
}

/** The request form: route, sender and inputs. */
export function RequestForm(props: FormProps) {
  const { list, route, draft, onDraft, onSend, prepare } = props
  function submit(event: Event): void {
    event.preventDefault()
    onSend()
  }
  return (
    <form class="panel request-form" onSubmit={submit} aria-label="Request">
      <Field label="Route">
        {(id) => (
          <select
            id={id}
            value={route.id}
            onChange={(event) => onDraft(forRoute(draft, event.currentTarget.value))}
          >
            {list.routes.map((each) => (
              <option key={each.id} value={each.id}>
                {each.method} {each.path}
              </option>
            ))}
          </select>
        )}
      </Field>
      <p class="note">
        <code>{route.id}</code> {routeNote(route)}
      </p>
      <WhoSends {...props} />
      <Inputs {...props} />
      <Options {...props} />
      <div class="actions">
        <button type="submit" class="primary">
          Send
        </button>
        <CopyButton label="Copy as curl" text={async () => toCurl(await captureRequest(needed(prepare())))} />
        <CopyButton label="Copy as SDK code" text={() => toSdkCode(needed(prepare()))} />
      </div>
    </form>
  )
}

function needed(sending: Sending | undefined): Sending {
  if (sending === undefined) throw new TypeError('Fill the form in first')
  return sending
}

function routeNote({ roles, license, mode, executionTimeoutSeconds }: Route): string {
  const notes = [
    roles.length > 0 && `needs the role ${roles.join(', ')}`,
    license !== null && `needs the licence ${license}`,
    mode === 'sse' && 'can stream',
    executionTimeoutSeconds > 0 && `at most ${executionTimeoutSeconds} s`,
  ].filter((note) => note !== false)
  return notes.join(' · ')
}

function Inputs({ route, draft, faults, feed, onDraft }: FormProps) {
  return (
    <fieldset>
      <legend>Inputs</legend>
      {paramNames(route.path).map((name) => (
        <PathParam key={name} {...{ name, route, draft, faults, feed, onDraft }} />
      ))}
      {!hasBody(route) && <Query draft={draft} onDraft={onDraft} />}
      {hasBody(route) && (
        <Field label="Body" hint="JSON; with {} the service asks for all inputs" fault={faults.get('body')}>
          {(id, fault) => (
            <textarea
              id={id}
              class="mono"
              rows={5}
              spellcheck={false}
              aria-invalid={fault !== undefined}
              aria-describedby={fault}
              value={draft.body}
              onInput={(event) => onDraft({ ...draft, body: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
    </fieldset>
  )
}

interface PathParamProps extends Pick<FormProps, 'route' | 'draft' | 'faults' | 'feed' | 'onDraft'> {
  readonly name: string
}

function PathParam({ name, route, draft, faults, feed, onDraft }: PathParamProps) {
  const suggestions = suggestParam(
    route.path,
    name,
    feed.get().rows.map(({ path }) => path),
  )
  function set(value: string): void {
    onDraft({ ...draft, params: new Map([...draft.params, [name, value]]) })
  }
  return (
    <Field label={name} hint="In the path" fault={faults.get(`param ${name}`)}>
      {(id, fault) => (
        <>
          <input
            id={id}
            class="mono"
            list={`${id}-values`}
            value={draft.params.get(name) ?? ''}
            spellcheck={false}
            autocomplete="off"
            aria-invalid={fault !== undefined}
            aria-describedby={fault}
            onInput={(event) => set(event.currentTarget.value)}
          />
          <datalist id={`${id}-values`}>
            {suggestions.map((value) => (
              <option key={value} value={value} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}

function Options({ route, draft, onDraft }: FormProps) {
  const streams = isStreamed(route, draft)
  // Only at first, so that it does not fold when its last field is emptied.
  const [isOpen] = useState(() => hasOptions(route, draft))
  return (
    <details class="options" open={isOpen}>
      <summary>Options</summary>
      {route.mode === 'sse' && (
        <Check
          label="Stream the answer"
          checked={draft.isStream}
          onChange={(isStream) => onDraft({ ...draft, isStream })}
        />
      )}
      {!streams && (
        <Check
          label="Work in the background (202)"
          checked={draft.isAsync}
          onChange={(isAsync) => onDraft({ ...draft, isAsync })}
        />
      )}
      {hasBody(route) && <Query draft={draft} onDraft={onDraft} />}
      <Field label="Idempotency key" hint="Made for you when empty">
        {(id) => (
          <input
            id={id}
            class="mono"
            value={draft.idempotencyKey}
            autocomplete="off"
            onInput={(event) => onDraft({ ...draft, idempotencyKey: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label="Correlation id" hint="Made for you when empty">
        {(id) => (
          <input
            id={id}
            class="mono"
            value={draft.correlationId}
            autocomplete="off"
            onInput={(event) => onDraft({ ...draft, correlationId: event.currentTarget.value })}
          />
        )}
      </Field>
    </details>
  )
}

interface CheckProps {
  readonly label: string
  readonly checked: boolean
  onChange(checked: boolean): void
}

function Check({ label, checked, onChange }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  )
}

function Query({ draft, onDraft }: Pick<FormProps, 'draft' | 'onDraft'>) {
  return (
    <Field label="Query" hint="Such as days=14&limit=5">
      {(id) => (
        <input
          id={id}
          class="mono"
          value={draft.query}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => onDraft({ ...draft, query: event.currentTarget.value })}
        />
      )}
    </Field>
  )
}
