import { useState } from 'preact/hooks'
import type { GatewayInfo, Route, RouteList } from '../api/bodies.ts'
import { CopyButton } from '../shell/copy-button.tsx'
import { Field } from '../shell/field.tsx'
import { Notice } from '../shell/notice.tsx'
import { AnyRouteFields } from './any-route.tsx'
import { captureRequest } from './capture-request.ts'
import { ANY_ROUTE, forRoute, hasBody, hasOptions, isStreamed } from './draft.ts'
import type { Sending } from './exchange.ts'
import { hasQueryFields, type InputsProps, QueryField, RequestInputs } from './request-inputs.tsx'
import { toCurl } from './to-curl.ts'
import { toSdkCode } from './to-sdk-code.ts'
import { WhoSends } from './who-sends.tsx'

interface FormProps extends InputsProps {
  readonly gateway: GatewayInfo
  readonly list: RouteList
  /** The route id in the address, if no route has it. */
  readonly unknownId: string
  readonly token: string
  readonly tokenNote: string
  onToken(token: string, note?: string): void
  onSend(): void
  prepare(): Sending | undefined
  /** Whether a question of the service is open: its answer goes to the request that was sent, not to this form. */
  readonly isLocked: boolean
}

/** The request form: route, sender and inputs. */
export function RequestForm(props: FormProps) {
  const { list, route, draft, unknownId, faults, isLocked, onDraft, onSend, prepare } = props
  function submit(event: Event): void {
    event.preventDefault()
    if (!isLocked) onSend()
  }
  return (
    <form class="panel request-form" onSubmit={submit} aria-label="Request" data-send>
      {isLocked && (
        <p class="note">
          The service asks a question. Answer it, or stop the exchange to change the request.
        </p>
      )}
      <fieldset class="request-fields" disabled={isLocked}>
        {unknownId !== '' && <Notice kind="warning" title={`No route has the id ${unknownId}.`} />}
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
              <option value={ANY_ROUTE}>Another method and path…</option>
            </select>
          )}
        </Field>
        {route.id === ANY_ROUTE ? (
          <AnyRouteFields routes={list.routes} fault={faults.get('path')} {...{ draft, onDraft }} />
        ) : (
          <AboutRoute {...props} />
        )}
        <WhoSends {...props} />
        <RequestInputs {...props} />
        <Options {...props} />
        <div class="actions">
          <button
            type="submit"
            class="primary"
            title="Ctrl+Enter"
            aria-keyshortcuts="Control+Enter Meta+Enter"
          >
            Send
          </button>
          <CopyButton
            label="Copy as curl"
            text={async () => toCurl(await captureRequest(needed(prepare())))}
          />
          <CopyButton label="Copy as SDK code" text={() => toSdkCode(needed(prepare()))} />
        </div>
      </fieldset>
    </form>
  )
}

function needed(sending: Sending | undefined): Sending {
  if (sending === undefined) throw new TypeError('Fill the form in first')
  return sending
}

/** The summary of the service, and the demands of the gateway. */
function AboutRoute({ route, described }: FormProps) {
  const { summary, description } =
    described.state === 'known' ? described.operation : { summary: '', description: '' }
  return (
    <div class="about-route">
      {summary !== '' && <p>{summary}</p>}
      {description !== '' && description !== summary && <p class="note">{description}</p>}
      <p class="note">
        <code>{route.id}</code> {routeNote(route)}
      </p>
    </div>
  )
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

function Options({ route, draft, described, onDraft }: FormProps) {
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
      {(hasBody(route) || hasQueryFields(described)) && <QueryField draft={draft} onDraft={onDraft} />}
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
