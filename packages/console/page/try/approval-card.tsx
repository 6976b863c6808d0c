import type { PendingApproval } from '@agentic-rest/client'
import { headers } from '@agentic-rest/profile'
import { type Approval, readApproval, stateOf, viewState } from '@agentic-rest/profile/approval'
import { useEffect, useRef, useState } from 'preact/hooks'
import { adminApi } from '../api/admin-api.ts'
import type { GatewayInfo, Person } from '../api/bodies.ts'
import { approvalView } from '../inbox/approval-view.ts'
import { CopyButton } from '../shell/copy-button.tsx'
import { Field } from '../shell/field.tsx'
import { Notice } from '../shell/notice.tsx'
import { outcomeWords } from '../shell/outcome-family.ts'
import { messageOf } from '../shell/use-load.ts'
import { decideApproval, whoMayDecide } from './approvals.ts'
import { toCurl } from './to-curl.ts'

interface ApprovalProps {
  readonly approval: PendingApproval
  readonly gateway: GatewayInfo
  /** The approval as its service shows it now. */
  readonly seen: Approval | undefined
  /** The correlation id of the exchange, so that its timeline shows the approval. */
  readonly correlationId: string | undefined
  /** The address in the answer. `approval.location` is absent at another gateway, which this page cannot reach. */
  readonly elsewhere: string | undefined
  /** Whether the exchange already waits for another person. */
  readonly isWaiting: boolean
  onDecide(goesOn: boolean): void
  onWait(): void
  onSeen(approval: Approval): void
}

/** The required approver, and what is possible now: to decide, to go on, or to leave it. */
export function ApprovalCard({
  approval,
  gateway,
  seen,
  correlationId,
  elsewhere,
  isWaiting,
  onDecide,
  onWait,
  onSeen,
}: ApprovalProps) {
  const card = useRef<HTMLElement>(null)
  // Focused, so that keyboard users need not search for it.
  useEffect(() => card.current?.focus(), [])
  const { message, approver, location } = approval
  const now = Date.now()
  const state = seen === undefined ? 'unknown' : stateOf(seen, now)
  const isOpen = state === 'unknown' || state === 'pending'
  return (
    <article class="card ask" aria-label="Approval" tabIndex={-1} ref={card}>
      <p class="ask-title">{message}</p>
      {approvalView.list([
        ['Approver', approver?.name ?? 'not named'],
        ...(seen === undefined ? [] : seenFacts(seen, now)),
        [
          'Address',
          <span class="mono">{location ?? elsewhere ?? 'a place that the answer does not name'}</span>,
        ],
      ])}
      {seen !== undefined && approvalView.request(seen)}
      {seen !== undefined && approvalView.decisions(seen)}
      {state === 'pending' && seen !== undefined && location !== undefined && (
        <Decide {...{ approval: seen, location, gateway, correlationId, onDecide, onSeen }} />
      )}
      {location === undefined && elsewhere !== undefined && <DecideElsewhere address={elsewhere} />}
      {!isWaiting && (
        <div class="actions">
          {state === 'approved' && (
            <button type="button" class="primary" onClick={() => onDecide(true)}>
              Go on
            </button>
          )}
          {isOpen && (
            <button type="button" onClick={() => (location === undefined ? onDecide(true) : onWait())}>
              {location === undefined ? 'Send again with the approval' : 'Wait for another person'}
            </button>
          )}
          <button type="button" class="quiet" onClick={() => onDecide(false)}>
            Leave it
          </button>
        </div>
      )}
    </article>
  )
}

function seenFacts(seen: Approval, now: number) {
  const state = <span role="status">{viewState(seen, now).words}</span>
  return [['State', state] as const, ...approvalView.facts(seen, now)]
}

interface DecideProps extends Pick<ApprovalProps, 'gateway' | 'correlationId'> {
  readonly approval: Approval
  readonly location: string
  onDecide(goesOn: boolean): void
  onSeen(approval: Approval): void
}

function Decide({ approval, location, gateway, correlationId, onDecide, onSeen }: DecideProps) {
  const [fault, setFault] = useState('')
  async function decide(verb: Verb, getToken: () => Promise<string>): Promise<void> {
    try {
      const token = await getToken()
      const access = { baseUrl: gateway.gatewayUrl, token, location, correlationId }
      const outcome = await decideApproval(access, verb, approval)
      setFault('')
      if (outcome.type === 'success') {
        const after = readApproval(outcome.body)
        // More people have to decide. Otherwise the request is sent again, after a rejection too: the service answers with
        // the outcome for it.
        return after.state === 'pending' ? onSeen(after) : onDecide(true)
      }
      setFault(`It was not decided: ${'message' in outcome ? outcome.message : outcomeWords(outcome.type)}`)
    } catch (error) {
      setFault(messageOf(error))
    }
  }
  const buttons =
    gateway.people.length > 0 ? (
      <DecideAsPerson people={whoMayDecide(approval, gateway.people)} onDecide={decide} />
    ) : (
      <DecideByToken onDecide={decide} />
    )
  return (
    <>
      {buttons}
      {fault !== '' && <Notice kind="fault" title={fault} />}
    </>
  )
}

type Verb = 'approve' | 'reject'

interface ButtonsProps {
  onDecide(verb: Verb, getToken: () => Promise<string>): Promise<void>
}

/** In development: decides as another person. */
function DecideAsPerson({ people, onDecide }: ButtonsProps & { readonly people: readonly Person[] }) {
  if (people.length === 0) return <p class="note">No other person of development may decide it.</p>
  return (
    <div class="actions">
      {people.map((person) => {
        const getToken = async () => (await adminApi.token(person)).token
        return (
          <Buttons
            key={person.sub}
            suffix={` as ${person.sub}`}
            onVerb={(verb) => void onDecide(verb, getToken)}
          />
        )
      })}
    </div>
  )
}

/** Outside development: decides with the token of an approver. */
function DecideByToken({ onDecide }: ButtonsProps) {
  const [token, setToken] = useState('')
  return (
    <form class="by-token" onSubmit={(event) => event.preventDefault()}>
      <Field label="Token of the approver">
        {(id) => (
          <input
            id={id}
            class="mono"
            type="password"
            autocomplete="off"
            value={token}
            onInput={(event) => setToken(event.currentTarget.value.trim())}
          />
        )}
      </Field>
      <div class="actions">
        <Buttons suffix="" onVerb={(verb) => void onDecide(verb, async () => token)} />
      </div>
    </form>
  )
}

function Buttons({ suffix, onVerb }: { readonly suffix: string; onVerb(verb: Verb): void }) {
  return (
    <>
      <button type="button" class="primary" onClick={() => onVerb('approve')}>
        Approve{suffix}
      </button>
      <button type="button" onClick={() => onVerb('reject')}>
        Reject{suffix}
      </button>
    </>
  )
}

/** At another gateway: shows a command, because this page can reach only its own gateway. */
function DecideElsewhere({ address }: { readonly address: string }) {
  const command = () =>
    toCurl({
      method: 'POST',
      url: `${address}/approve`,
      headers: [[headers.authorization, 'Bearer TOKEN_OF_THE_APPROVER']],
      body: undefined,
    })
  return (
    <div class="actions">
      <span class="note">It belongs to another agent, behind another gateway.</span>
      <CopyButton label="Copy approval as curl" text={command} />
    </div>
  )
}
