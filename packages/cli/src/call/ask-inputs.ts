import type { Answers, Outcome, RequiredInput } from '@agentic-rest/client'
import { terminalLine } from '../terminal-text.ts'
import type { Prompt } from './prompt.ts'
import { choiceText, readAnswer } from './read-answer.ts'

/** Where questions are asked and what is said besides. */
export interface Asking {
  readonly prompt: Prompt
  write(text: string): void
}

/** Asks every question of a clarification; nothing when somebody leaves (Ctrl-D). */
export async function askInputs(
  { message, requiredInputs }: Extract<Outcome, { type: 'clarification_required' }>,
  asking: Asking,
): Promise<Answers | undefined> {
  asking.write(`${terminalLine(message)}\n`)
  const answers = new Map<string, unknown>()
  for (const input of requiredInputs) {
    const answer = await askInput(input, asking)
    if (answer === undefined) return undefined
    if (answer !== skipped) answers.set(input.name, answer.value)
  }
  return Object.fromEntries(answers)
}

const skipped = Symbol('skipped')

async function askInput(
  input: RequiredInput,
  { prompt, write }: Asking,
): Promise<{ readonly value: unknown } | typeof skipped | undefined> {
  write(describeInput(input))
  for (;;) {
    const line = (await prompt.ask(`${terminalLine(input.name)}> `))?.trim()
    if (line === undefined) return undefined
    if (line === '' && !input.required) return skipped
    const answer = readAnswer(input, line)
    if (line !== '' && answer.ok) return answer
    write(
      `  ${answer.ok || line === '' ? 'an answer is needed' : terminalLine(answer.fault)}; Ctrl-D to leave\n`,
    )
  }
}

/** A question with its type, its place and the values to choose from. */
export function describeInput({
  name,
  question,
  type,
  location,
  required,
  allowedValues = [],
}: RequiredInput): string {
  const need = required ? 'required' : 'may be left empty'
  const choices = allowedValues.map((value, index) => `    ${index + 1} ${terminalLine(choiceText(value))}\n`)
  return `  ${terminalLine(name)} (${type}, ${location}, ${need}): ${terminalLine(question)}\n${choices.join('')}`
}
