import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { GatewayInfo } from '../api/bodies.ts'
import { Notice } from '../shell/notice.tsx'
import { placeHash } from '../shell/place.ts'
import { useStore } from '../shell/store.ts'
import { takeLostFocus } from '../shell/take-focus.ts'
import { ApprovalCard } from './approval-card.tsx'
import type { Sent } from './bench.ts'
import { ClarificationForm } from './clarification-form.tsx'
import { correlationIdOf, type Exchange, type ExchangeState } from './exchange.ts'
import { OperationProgress } from './operation-progress.tsx'
import { FollowUps, OutcomeCard, StepCard } from './step-card.tsx'
import type { Step } from './wire-log.ts'

interface PanelProps {
  readonly sent: Sent
  readonly gateway: GatewayInfo
}

/** The requests and answers of an exchange, and its next step. */
export function ExchangePanel({ sent: { exchange }, gateway }: PanelProps) {
  const state = useStore(exchange)
  const { phase, steps, question, approval, seen, progress, fault } = state
  const main = steps.filter(({ kind }) => kind === 'main')
  const isInBackground = phase === 'sending' && main.at(-1)?.answer?.outcome === 'accepted'
  const end = useRef<HTMLDivElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // The used form or button is gone.
    takeLostFocus(heading.current)
    if (phase !== 'sending') end.current?.scrollIntoView({ block: 'nearest' })
  }, [phase])
  return (
    <section class="exchange" aria-label="Exchange" aria-busy={phase === 'sending'}>
      <Head exchange={exchange} state={state} heading={heading} />
      {main.map((step, index) => (
        <StepCard
          key={index}
          step={step}
          number={index + 1}
          isLast={index === main.length - 1}
          isEnded={phase === 'ended'}
        />
      ))}
      <FollowUps steps={steps.filter(({ kind }) => kind === 'follow')} />
      {question !== undefined && <ClarificationForm question={question} onAnswer={exchange.answer} />}
      {approval !== undefined && (
        <ApprovalCard
          approval={approval}
          gateway={gateway}
          seen={seen}
          correlationId={correlationIdOf(state)}
          elsewhere={locationOf(main.at(-1))}
          isWaiting={phase === 'waiting'}
          onDecide={exchange.proceed}
          onWait={exchange.waitForOther}
          onSeen={exchange.saw}
        />
      )}
      {(progress !== undefined || isInBackground) && (
        <OperationProgress status={progress} isEnded={phase === 'ended'} />
      )}
      <Result state={state} />
      {fault !== undefined && (
        <Notice kind="fault" title={fault.title}>
          <p>{fault.detail}</p>
        </Notice>
      )}
      <div ref={end} />
    </section>
  )
}

const phaseWords = {
  sending: 'Waiting for an answer',
  asking: 'The service asks',
  approving: 'Approval required',
  waiting: 'Waiting for an approval',
  ended: 'Ended',
} as const

interface HeadProps {
  readonly exchange: Exchange
  readonly state: ExchangeState
  readonly heading: RefObject<HTMLHeadingElement | null>
}

function Head({ exchange, state, heading }: HeadProps) {
  const correlationId = correlationIdOf(state)
  return (
    <div class="exchange-head">
      <h2 tabIndex={-1} ref={heading}>
        Exchange
      </h2>
      <span class={`phase ${state.phase}`} role="status">
        {isStreaming(state) ? 'Streaming' : phaseWords[state.phase]}
      </span>
      {correlationId !== undefined && (
        <a class="mono" href={placeHash({ view: 'Timeline', item: correlationId })} title={correlationId}>
          Open the timeline
        </a>
      )}
      <span class="spring" />
      {state.phase !== 'ended' && (
        <button type="button" class="quiet" onClick={exchange.stop}>
          Stop
        </button>
      )}
    </div>
  )
}

function isStreaming({ phase, steps }: ExchangeState): boolean {
  return phase === 'sending' && steps.findLast(({ kind }) => kind === 'main')?.events !== undefined
}

/** The result, if it is not the last answer, for example of a background operation. */
function Result({ state: { outcome, steps, phase } }: { readonly state: ExchangeState }) {
  if (outcome === undefined || phase !== 'ended') return null
  const last = steps.findLast(({ kind }) => kind === 'main')?.answer
  if (last?.outcome !== 'accepted' || outcome.type === 'accepted') return null
  return <OutcomeCard title="Result" outcome={outcome} />
}

/** The address in an answer, also at another origin, which the client does not follow with its token. */
function locationOf(step: Step | undefined): string | undefined {
  return step?.answer?.headers.find(([name]) => name === 'location')?.[1]
}
