import type { Answered } from '@agentic-rest/client'
import { parseJson } from '@agentic-rest/profile'
import { CopyButton } from '../shell/copy-button.tsx'
import { formatJson, formatMs } from '../shell/format.ts'
import { JsonText } from '../shell/json-text.tsx'
import { OutcomeBadge } from '../shell/outcome-badge.tsx'
import { outcomeLabel } from '../shell/outcome-family.ts'
import { bodyOf } from './event-view.ts'
import type { ShownEvents } from './stream-text.ts'
import { toCurl, type WireRequest } from './to-curl.ts'
import type { Step, StepAnswer } from './wire-log.ts'

interface StepProps {
  readonly step: Step
  readonly number: number
  readonly isLast: boolean
  readonly isEnded: boolean
}

/** One request with its answer. */
export function StepCard({ step: { request, answer, events }, number, isLast, isEnded }: StepProps) {
  return (
    <article class="card" aria-label={`Request ${number}`}>
      <header>
        <span class="mono">
          <b>{request.method}</b> {pathOf(request)}
        </span>
        <span class="spring" />
        <CopyButton label="Copy request as curl" text={() => toCurl(request)} />
      </header>
      {request.body !== undefined && (
        <details>
          <summary>Request body</summary>
          <JsonText
            label={`Body of request ${number}`}
            value={parseJson(request.body).value ?? request.body}
          />
        </details>
      )}
      {answer === undefined ? (
        <p class="note waiting">Sent, no answer yet…</p>
      ) : (
        <Answer {...{ answer, events, number }} isOpen={isLast && isEnded} />
      )}
    </article>
  )
}

interface AnswerProps {
  readonly answer: StepAnswer
  readonly events: ShownEvents | undefined
  readonly number: number
  /** Whether the body is unfolded. */
  readonly isOpen: boolean
}

function Answer({ answer, events, number, isOpen }: AnswerProps) {
  const { status, outcome, tookMs, headers, body, isStream, violations } = answer
  const hasBody = !isStream || body !== undefined
  return (
    <>
      <p class="answer-line">
        <OutcomeBadge outcome={outcome} status={status} />
        <span class="note">
          {formatMs(tookMs)}
          {isStream && ' · a stream'}
        </span>
        <span class="spring" />
        {hasBody && <CopyButton label="Copy body" text={() => textOfBody(body)} />}
      </p>
      {violations.length > 0 && (
        <ul class="field-fault">
          {violations.map(({ rule, pointer, message }) => (
            <li key={`${rule}${pointer}`}>
              {pointer} {message} ({rule})
            </li>
          ))}
        </ul>
      )}
      {events !== undefined && <Events events={events} number={number} />}
      {hasBody && (
        <details open={isOpen}>
          <summary>Body</summary>
          <JsonText label={`Answer ${number}`} value={body} />
        </details>
      )}
      <details>
        <summary>Headers</summary>
        <JsonText
          label={`Headers of answer ${number}`}
          value={headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
        />
      </details>
    </>
  )
}

function Events({ events: { count, text, isCut }, number }: EventsProps) {
  return (
    <>
      <p class="note">
        {count === 1 ? '1 event' : `${count} events`}
        {isCut && ', of which the end is shown'}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <div class="stream-text" role="log" aria-label={`Stream ${number}`} tabIndex={0}>
        {text.trimStart()}
      </div>
    </>
  )
}

interface EventsProps extends Pick<AnswerProps, 'number'> {
  readonly events: ShownEvents
}

/** The polls of an operation or an approval: a count, with details on demand. */
export function FollowUps({ steps }: { readonly steps: readonly Step[] }) {
  if (steps.length === 0) return null
  return (
    <details class="follow-ups">
      <summary>
        {steps.length} follow-up {steps.length === 1 ? 'request' : 'requests'}
      </summary>
      <ol>
        {steps.map(({ request, answer }, index) => (
          <li key={index}>
            <span class="mono">
              {request.method} {pathOf(request)}
            </span>{' '}
            {answer !== undefined && <OutcomeBadge outcome={answer.outcome} status={answer.status} />}
          </li>
        ))}
      </ol>
    </details>
  )
}

/** An outcome that was not the answer of the request itself. */
export function OutcomeCard({ title, outcome }: { readonly title: string; readonly outcome: Answered }) {
  const { type, answer } = outcome
  const body = bodyOf(outcome)
  return (
    <article class="card result" aria-label={title}>
      <p class="answer-line">
        <b>{title}</b> <OutcomeBadge outcome={outcomeLabel(type, answer.status)} />
        <span class="spring" />
        <CopyButton label="Copy result" text={() => textOfBody(body)} />
      </p>
      <JsonText label={title} value={body} />
    </article>
  )
}

function textOfBody(body: unknown): string {
  return typeof body === 'string' ? body : formatJson(body)
}

function pathOf({ url }: WireRequest): string {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}
