import { printableText } from '@agentic-rest/profile'
import type { Listed, ListName, Look } from '@agentic-rest/profile/approval'
import {
  type ApprovalVerb,
  doneWords,
  MAX_COMMENT,
  mayWithdraw,
  stateOf,
  verbLabel,
  viewState,
  whyNotDecide,
} from '@agentic-rest/profile/approval'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Field } from '../shell/field.tsx'
import { placeHash } from '../shell/place.ts'
import { takeLostFocus } from '../shell/take-focus.ts'
import { messageOf } from '../shell/use-load.ts'
import { approvalView } from './approval-view.ts'
import type { Inbox, Opened } from './inbox.ts'
import { RefusedError } from './inbox-api.ts'

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
          {approvalView.request(listed.approval)}
          {approvalView.decisions(listed.approval)}
          <Actions {...{ inbox, listed, look }} />
        </>
      )}
    </article>
  )
}

function Facts({ approval, service, look }: Listed & { readonly look: Look }) {
  const { words, family } = viewState(approval, look.now)
  const { correlationId } = approval
  return approvalView.list([
    ['State', <span class={`badge ${family}`}>{words}</span>],
    ...approvalView.facts(approval, look.now),
    [
      'Service',
      <>
        <span class="mono">{service.path}</span>, route {service.routeId}
      </>,
    ],
    ...(correlationId === '' ? [] : [timelineRow(correlationId)]),
  ])
}

function timelineRow(correlationId: string) {
  const link = <a href={placeHash({ view: 'Timeline', item: correlationId })}>Open the timeline</a>
  return ['Exchange', link] as const
}

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
  async function act(verb: ApprovalVerb): Promise<void> {
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
  const decideButton = (verb: ApprovalVerb, extra = '') => (
    <button
      type="button"
      class={extra}
      disabled={isBusy || reason !== ''}
      aria-describedby={reason === '' ? undefined : reasonId}
      onClick={() => void act(verb)}
    >
      {verbLabel(approval, verb)}
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
        {isPending && decideButton('approve', 'primary')}
        {isPending && decideButton('reject')}
        {mayWithdraw(approval, me, now) && (
          <button type="button" disabled={isBusy} onClick={() => void act('withdraw')}>
            {verbLabel(approval, 'withdraw')}
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
