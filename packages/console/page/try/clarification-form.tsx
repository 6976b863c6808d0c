import type { AnsweredAs, Answers, RequiredInput } from '@agentic-rest/client'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { InputControl } from './input-control.tsx'
import { type Entries, readAnswers } from './read-answers.ts'

interface FormProps {
  readonly question: AnsweredAs<'clarification_required'>
  onAnswer(answers: Answers): void
}

/** The form for the inputs of a clarification. */
export function ClarificationForm({ question: { message, requiredInputs }, onAnswer }: FormProps) {
  const [entries, setEntries] = useState<Entries>(new Map())
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map())
  const form = useRef<HTMLFormElement>(null)
  // Focused, so that keyboard users need not search for it.
  useEffect(() => form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus(), [])
  function send(event: Event): void {
    event.preventDefault()
    const reading = readAnswers(requiredInputs, entries)
    setFaults(reading.ok ? new Map() : reading.faults)
    if (reading.ok) onAnswer(reading.answers)
  }
  return (
    <form
      class="card ask"
      ref={form}
      onSubmit={send}
      aria-label={`Answer the service: ${requiredInputs.map(({ name }) => name).join(', ')}`}
      noValidate
    >
      <p class="ask-title">{message}</p>
      {requiredInputs.map((input) => (
        <Question
          key={`${input.location} ${input.name}`}
          input={input}
          entries={entries.get(input.name) ?? []}
          fault={faults.get(input.name)}
          onChange={(texts) => setEntries(new Map([...entries, [input.name, texts]]))}
        />
      ))}
      <div class="actions">
        <button type="submit" class="primary">
          Answer
        </button>
      </div>
    </form>
  )
}

interface QuestionProps {
  readonly input: RequiredInput
  readonly entries: readonly string[]
  readonly fault: string | undefined
  onChange(texts: readonly string[]): void
}

function Question({ input, entries, fault, onChange }: QuestionProps) {
  const id = useId()
  const faultId = `${id}-fault`
  return (
    <fieldset class="question" aria-describedby={fault === undefined ? undefined : faultId}>
      <legend>
        {input.question} <code>{input.name}</code>
      </legend>
      <p class="note">
        {input.type} · in the {input.location}
        {input.required ? '' : ' · may be left out'}
      </p>
      <InputControl input={input} entries={entries} isFaulty={fault !== undefined} onChange={onChange} />
      {fault !== undefined && (
        <p class="field-fault" id={faultId} role="alert">
          {fault}
        </p>
      )}
    </fieldset>
  )
}
