import { useId, useState } from 'preact/hooks'
import { adminApi } from '../api/admin-api.ts'
import type { GatewayInfo, Person } from '../api/bodies.ts'
import { Field } from '../shell/field.tsx'
import { formatClock } from '../shell/format.ts'
import { messageOf } from '../shell/use-load.ts'
import type { Draft } from './draft.ts'

interface WhoProps {
  readonly gateway: GatewayInfo
  readonly draft: Draft
  readonly token: string
  readonly tokenNote: string
  onDraft(draft: Draft): void
  onToken(token: string, note?: string): void
}

/** The sender of a request: a person of development, or the owner of a token. */
export function WhoSends({ gateway, draft, token, tokenNote, onDraft, onToken }: WhoProps) {
  const aboutTenant = useId()
  return (
    <fieldset>
      <legend>Who sends it</legend>
      {gateway.people.length > 0 && (
        <PersonChoice people={gateway.people} {...{ draft, tokenNote, onDraft, onToken }} />
      )}
      <div class="pair">
        <Field label="Token" hint={token === '' ? senderOf(gateway) : 'Never kept'}>
          {(id) => (
            <input
              id={id}
              class="mono"
              type="password"
              autocomplete="off"
              placeholder={gateway.people.length > 0 ? 'Get token, or paste one' : 'Paste a bearer token'}
              value={token}
              onInput={(event) => onToken(event.currentTarget.value.trim())}
            />
          )}
        </Field>
        <Field label="Tenant">
          {(id) => (
            <input
              id={id}
              aria-describedby={aboutTenant}
              value={draft.tenant}
              autocomplete="off"
              onInput={(event) => onDraft({ ...draft, tenant: event.currentTarget.value.trim() })}
            />
          )}
        </Field>
      </div>
      <p class="note" id={aboutTenant}>
        The tenant comes from the token: a person's token needs a tenant claim. This field picks one of
        several, and names the tenant of a service account.
      </p>
    </fieldset>
  )
}

function senderOf({ user, signIn }: GatewayInfo): string {
  return user === null || !signIn ? 'None' : `None: sent as ${user.name}`
}

interface ChoiceProps extends Pick<WhoProps, 'draft' | 'tokenNote' | 'onDraft' | 'onToken'> {
  readonly people: readonly Person[]
}

function PersonChoice({ people, draft, tokenNote, onDraft, onToken }: ChoiceProps) {
  const [fault, setFault] = useState('')
  function choose(sub: string): void {
    const tenant = people.find((each) => each.sub === sub)?.tenant ?? ''
    // A token belongs to one person.
    onToken('')
    setFault('')
    onDraft({ ...draft, sub, tenant })
  }
  async function getToken(): Promise<void> {
    const person = people.find(({ sub }) => sub === draft.sub)
    if (person === undefined) return
    try {
      const { token, expiresAt } = await adminApi.token(person)
      onToken(token, `Token of ${person.sub}, good until ${formatClock(expiresAt).slice(0, 5)}`)
      setFault('')
    } catch (error) {
      setFault(messageOf(error))
    }
  }
  return (
    <div class="person">
      <Field label="Person">
        {(id) => (
          <select id={id} value={draft.sub} onChange={(event) => choose(event.currentTarget.value)}>
            {people.map((person) => (
              <option key={person.sub} value={person.sub}>
                {describe(person)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <button type="button" onClick={() => void getToken()}>
        Get token
      </button>
      <p class="note said" role="status">
        {fault || tokenNote}
      </p>
    </div>
  )
}

function describe({ sub, tenant, roles }: Person): string {
  return [sub, tenant, roles.join(', ') || 'no roles'].filter((part) => part !== '').join(' · ')
}
