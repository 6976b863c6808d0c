import type { Answered } from '@agentic-rest/client'
import { outcomes, type StreamEvent } from '@agentic-rest/profile'
import { outcomeLabel } from '../shell/outcome-family.ts'
import type { Store } from '../shell/store.ts'
import { createStreamText, type StreamText } from './stream-text.ts'
import type { Step } from './wire-log.ts'

// Of thousands of events a second the page draws twenty times what is there.
const DRAW_MS = 50

/** Shows the events of a stream at the step that it answers, and then the outcome of its last frame. */
export function createEventView(store: Pick<Store<readonly Step[]>, 'get' | 'set'>) {
  let shown: { readonly index: number; readonly text: StreamText } | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const lastIndex = () => store.get().findLastIndex(({ kind }) => kind === 'main')
  function changeStep(index: number, part: Partial<Step>): void {
    const steps = store.get()
    const step = steps[index]
    if (step !== undefined) store.set(steps.with(index, { ...step, ...part }))
  }
  function draw(): void {
    clearTimeout(timer)
    timer = undefined
    if (shown !== undefined) changeStep(shown.index, { events: shown.text.shown() })
  }
  return {
    draw,
    take(event: StreamEvent): void {
      const index = lastIndex()
      // The request was sent again, for example with answers.
      if (shown?.index !== index) shown = { index, text: createStreamText() }
      shown.text.add(event)
      timer ??= setTimeout(draw, DRAW_MS)
    },
    end(type: Answered['type'], outcome: Partial<Answered>): void {
      draw()
      const index = lastIndex()
      const before = store.get()[index]?.answer
      if (before?.isStream !== true) return
      const status = outcome.answer?.status ?? outcomes[type].status
      changeStep(index, {
        answer: { ...before, status, outcome: outcomeLabel(type, status), body: bodyOf(outcome) },
      })
    },
  }
}

/** The members of an outcome that were in the body of its answer. */
export function bodyOf({ type: _type, answer: _answer, ...rest }: Partial<Answered>): unknown {
  return 'body' in rest ? rest.body : rest
}
