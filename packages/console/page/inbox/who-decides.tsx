import { useEffect, useRef, useState } from 'preact/hooks'
import type { Person } from '../api/bodies.ts'
import { Field } from '../shell/field.tsx'
import { takeLostFocus } from '../shell/take-focus.ts'
import type { Inbox, InboxState } from './inbox.ts'

interface WhoProps {
  readonly people: readonly Person[]
  readonly inbox: Inbox
  readonly state: InboxState
}

/** The person whose inbox is shown: a person of development, or the owner of a token. */
export function WhoDecides({ people, inbox, state: { who, fault } }: WhoProps) {
  const [isOther, setIsOther] = useState(people.length === 0)
  const section = useRef<HTMLElement>(null)
  // The used control is gone after a change of the person.
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isFirst.current) takeLostFocus(section.current)
    isFirst.current = false
  }, [who])
  return (
    <section class="panel inbox-who" aria-label="Your identity" tabIndex={-1} ref={section}>
      {who === undefined ? (
        <>
          <p>
            The inbox shows the approvals of one person. The services decide by this person’s token what is
            shown and who may decide.
          </p>
          {people.length > 0 && <PersonChoice {...{ people, inbox }} />}
          {isOther ? (
            <TokenForm inbox={inbox} />
          ) : (
            <button type="button" class="quiet" onClick={() => setIsOther(true)}>
              Use a token instead
            </button>
          )}
        </>
      ) : (
        <p class="inbox-me">
          <span>{who.name === '' ? 'The inbox of the owner of the token' : `The inbox of ${who.name}`}</span>
          {who.me.subject === undefined && (
            <span class="note">The token does not name its owner, so your own requests are listed too.</span>
          )}
          <button type="button" class="quiet" onClick={inbox.forget}>
            Somebody else
          </button>
        </p>
      )}
      {fault !== '' && (
        <p class="field-fault" role="alert">
          {fault}
        </p>
      )}
    </section>
  )
}

function PersonChoice({ people, inbox }: Pick<WhoProps, 'people' | 'inbox'>) {
  function choose(sub: string): void {
    const person = people.find((each) => each.sub === sub)
    if (person !== undefined) void inbox.choosePerson(person)
  }
  return (
    <Field label="Person">
      {(id) => (
        <select id={id} value="" onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">Choose who you are…</option>
          {people.map(({ sub, tenant, roles }) => (
            <option key={sub} value={sub}>
              {[sub, tenant, roles.join(', ') || 'no roles'].filter((part) => part !== '').join(' · ')}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

function TokenForm({ inbox }: Pick<WhoProps, 'inbox'>) {
  const [token, setToken] = useState('')
  const [tenant, setTenant] = useState('')
  function use(event: Event): void {
    event.preventDefault()
    if (token !== '') void inbox.useToken(token, tenant)
  }
  return (
    <form class="inbox-token" onSubmit={use}>
      <Field label="Token" hint="Never kept">
        {(id) => (
          <input
            id={id}
            class="mono"
            type="password"
            autocomplete="off"
            placeholder="Paste your bearer token"
            value={token}
            onInput={(event) => setToken(event.currentTarget.value.trim())}
          />
        )}
      </Field>
      <Field label="Tenant" hint="If your token has several">
        {(id) => (
          <input
            id={id}
            autocomplete="off"
            value={tenant}
            onInput={(event) => setTenant(event.currentTarget.value.trim())}
          />
        )}
      </Field>
      <button type="submit" class="primary" disabled={token === ''}>
        Open the inbox
      </button>
    </form>
  )
}
