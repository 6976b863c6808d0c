import { printableText } from '@agentic-rest/profile'
import {
  type Approval,
  describeNeeded,
  isConfirmation,
  requestLine,
  whyNotDecide,
} from '@agentic-rest/profile/approval'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Field } from '../shell/field.tsx'
import { formatTime } from '../shell/format.ts'
import { placeHash } from '../shell/place.ts'
import { takeLostFocus } from '../shell/take-focus.ts'
import { messageOf } from '../shell/use-load.ts'
import { inputsByPlace, mayWithdraw, stateOf, timeLeft, viewState } from './approval-rules.ts'
import type { Inbox, Opened } from './inbox.ts'
import { RefusedError, type Verb } from './inbox-api.ts'
import type { Listed, ListName, Look } from './inbox-lists.ts'
import { InputValue } from './input-value.tsx'

interface PanelProps {
  readonly inbox: Inbox
  readonly opened: Opened
  readonly list: ListName
  readonly look: Look
}

/** One approval: the request, the people, the decisions so far, and the buttons to decide. */
export function ApprovalPanel({ inbox, opened: { listed, isRead }, list, look }: PanelProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  // Focused, so that keyboard users need not search for it.
  useEffect(() => heading.current?.focus(), [])
  const back = placeHash({ view: 'Inbox', item: '', query: list === 'waiting' ? '' : `list=${list}` })
  const title = listed && printableText(listed.approval.message || listed.approval.operation)
  return (
    <article class="panel inbox-approval" aria-label="Approval">
      <a href={back}>Close</a>
      <h2 tabIndex={-1} ref={heading}>
        {title ??
          (isRead ? 'There is no such approval, or it is not for you to see.' : 'Reading the approval…')}
      </h2>
      {listed !== undefined && (
        <>
          <Facts {...{ ...listed, look }} />
          <Request approval={listed.approval} />
          <Decisions approval={listed.approval} />
          <Actions {...{ inbox, listed, look }} />
        </>
      )}
    </article>
  )
}

function Facts({ approval, service, look }: Listed & { readonly look: Look }) {
  const { words, family } = viewState(approval, look.now)
  const { operation, requester, requestedFor, via, createdAt, expiresAt, digest, correlationId } = approval
  const left = timeLeft(approval, look.now)
  return (
    <dl class="facts">
      <Row name="State">
        <span class={`badge ${family}`}>{words}</span>
      </Row>
      <Row name="Operation">{printableText(operation)}</Row>
      <Row name="Asked by">{printableText(requester)}</Row>
      {requestedFor !== '' && <Row name="On behalf of">{printableText(requestedFor)}</Row>}
      {via.length > 0 && (
        <Row name="Way">
          <ol class="inbox-way">
            {[...via, `${requester} called ${operation}`].map((call, index) => (
              <li key={index}>{printableText(call)}</li>
            ))}
          </ol>
        </Row>
      )}
      <Row name="Asked">{formatTime(createdAt)}</Row>
      <Row name="Expires">
        {formatTime(expiresAt)}
        {left !== '' && ` · ${left}`}
      </Row>
      <Row name="Needed">{describeNeeded(approval)}</Row>
      <Row name="Service">
        <span class="mono">{service.path}</span>, route {service.routeId}
      </Row>
      {digest !== '' && (
        <Row name="Digest">
          <span class="mono">{digest}</span>
        </Row>
      )}
      {correlationId !== '' && (
        <Row name="Exchange">
          <a href={placeHash({ view: 'Timeline', item: correlationId })}>Open the timeline</a>
        </Row>
      )}
    </dl>
  )
}

function Row({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

function Request({ approval: { request } }: { readonly approval: Approval }) {
  const line = requestLine(request)
  if (request === null || line === '') return <p class="note">The service does not show the request.</p>
  return (
    <section aria-label="Request">
      <h3>Request</h3>
      <p class="mono inbox-line">{printableText(line)}</p>
      {request.truncated && (
        <p class="note">Some values are too large to be shown. The decision is about them too.</p>
      )}
      {inputsByPlace(request).map(([place, value]) => (
        <div key={place} class="inbox-inputs">
          <h4>In the {place}</h4>
          <InputValue value={value} />
        </div>
      ))}
    </section>
  )
}

function Decisions({ approval: { decisions } }: { readonly approval: Approval }) {
  if (decisions.length === 0) return null
  return (
    <section aria-label="Decisions">
      <h3>Decisions</h3>
      <ul class="inbox-decisions">
        {decisions.map(({ decidedBy, verdict, comment, decidedAt }) => (
          <li key={decidedBy}>
            <strong>{printableText(decidedBy)}</strong> {verdict}{' '}
            <span class="note">{formatTime(decidedAt)}</span>
            {comment !== '' && <p class="inbox-comment">{printableText(comment)}</p>}
          </li>
        ))}
      </ul>
    </section>
  )
}

const doneWords: Readonly<Record<Verb, string>> = {
  approve: 'You approved it.',
  reject: 'You rejected it.',
  withdraw: 'You withdrew it.',
}

// The limit of the service.
const MAX_COMMENT = 2000

interface ActionsProps {
  readonly inbox: Inbox
  readonly listed: Listed
  readonly look: Look
}

function Actions({ inbox, listed, look: { me, now } }: ActionsProps) {
  const [comment, setComment] = useState('')
  const [said, setSaid] = useState('')
  const [fault, setFault] = useState('')
  const [isBusy, setIsBusy] = useState(false)
  const reasonId = useId()
  const status = useRef<HTMLParagraphElement>(null)
  // The used button is gone after a decision.
  useEffect(() => {
    if (said !== '') takeLostFocus(status.current)
  }, [said])
  const { approval } = listed
  const reason = whyNotDecide(approval, me)
  const isPending = stateOf(approval, now) === 'pending'
  async function act(verb: Verb): Promise<void> {
    setIsBusy(true)
    setFault('')
    setSaid('')
    try {
      await inbox.act(listed, verb, comment.trim())
      setSaid(doneWords[verb])
    } catch (error) {
      const message = messageOf(error)
      const isRefused = error instanceof RefusedError
      setFault(isRefused ? `It was not done: ${message}` : `${message} It may be done all the same.`)
      void inbox.refresh()
    } finally {
      setIsBusy(false)
    }
  }
  const decideButton = (verb: Verb, label: string, extra = '') => (
    <button
      type="button"
      class={extra}
      disabled={isBusy || reason !== ''}
      aria-describedby={reason === '' ? undefined : reasonId}
      onClick={() => void act(verb)}
    >
      {label}
    </button>
  )
  return (
    <div class="inbox-actions">
      {isPending && reason === '' && (
        <Field label="Comment, for the record">
          {(id) => (
            <textarea
              id={id}
              rows={2}
              maxLength={MAX_COMMENT}
              value={comment}
              onInput={(event) => setComment(event.currentTarget.value)}
            />
          )}
        </Field>
      )}
      {isPending && reason !== '' && said === '' && <p id={reasonId}>{reason}</p>}
      <div class="actions">
        {isPending && decideButton('approve', isConfirmation(approval) ? 'Confirm' : 'Approve', 'primary')}
        {isPending && decideButton('reject', 'Reject')}
        {mayWithdraw(approval, me, now) && (
          <button type="button" disabled={isBusy} onClick={() => void act('withdraw')}>
            Withdraw
          </button>
        )}
      </div>
      <p role="status" tabIndex={-1} ref={status}>
        {said}
      </p>
      {fault !== '' && (
        <p class="field-fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}
