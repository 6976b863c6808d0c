import { createInterface } from 'node:readline/promises'
import type { Answers, Outcome, RequiredInput } from '@agentic-rest/client'
import { didYouMean } from '@agentic-rest/gateway/did-you-mean'
import { isObject, parseJson } from '@agentic-rest/profile'
import type { Host } from '../host.ts'
import { terminalLine } from '../terminal-text.ts'

/** The terminal: a prompt for answers and a writer for everything else. */
export interface Terminal {
  readonly prompt: Prompt
  write(text: string): void
}

/** Asks every question of a clarification; resolves with nothing after Ctrl-D. */
export async function askInputs(
  { message, requiredInputs }: Extract<Outcome, { type: 'clarification_required' }>,
  terminal: Terminal,
): Promise<Answers | undefined> {
  terminal.write(`${terminalLine(message)}\n`)
  const answers = new Map<string, unknown>()
  for (const input of requiredInputs) {
    const answer = await askInput(input, terminal)
    if (answer === undefined) return undefined
    if (answer !== skipped) answers.set(input.name, answer.value)
  }
  return Object.fromEntries(answers)
}

const skipped = Symbol('skipped')

async function askInput(
  input: RequiredInput,
  { prompt, write }: Terminal,
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

/** A question with its type, its location and its allowed values. */
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

type TypedAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: string }

/** Reads a typed line as the type of the input. A choice is typed as text or as its number. */
function readAnswer(input: RequiredInput, line: string): TypedAnswer {
  const { allowedValues = [], type } = input
  if (allowedValues.length > 0 && type !== 'array' && type !== 'object')
    return readChoice(allowedValues, line)
  return readers[type](line)
}

/** The text for a value, in the list of choices and at the prompt. */
function choiceText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function readChoice(values: readonly unknown[], line: string): TypedAnswer {
  const texts = values.map(choiceText)
  const typed = texts.indexOf(line)
  const index = typed === -1 && /^\d+$/.test(line) ? Number(line) - 1 : typed
  if (index >= 0 && index < values.length) return { ok: true, value: values[index] }
  return { ok: false, fault: `it is one of ${texts.join(', ')}${didYouMean(line, texts)}` }
}

const words = new Map<string, boolean>([
  ['true', true],
  ['yes', true],
  ['y', true],
  ['false', false],
  ['no', false],
  ['n', false],
])

const readers = {
  string: (line) => ({ ok: true, value: line }),
  integer: (line) =>
    /^[+-]?\d+$/.test(line) && Number.isSafeInteger(Number(line))
      ? { ok: true, value: Number(line) }
      : { ok: false, fault: 'it is a whole number' },
  boolean: (line) => {
    const value = words.get(line.toLowerCase())
    return value === undefined ? { ok: false, fault: 'it is yes or no' } : { ok: true, value }
  },
  array: (line) =>
    line.startsWith('[')
      ? readJson(line, Array.isArray, 'a JSON list, or values separated by commas')
      : { ok: true, value: line.split(',').map((item) => item.trim()) },
  object: (line) => readJson(line, isObject, 'a JSON object'),
} satisfies Record<RequiredInput['type'], (line: string) => TypedAnswer>

function readJson(line: string, fits: (value: unknown) => boolean, kind: string): TypedAnswer {
  const { value, fault } = parseJson(line)
  return fault || !fits(value) ? { ok: false, fault: `it is ${kind}` } : { ok: true, value }
}

/** A prompt on the terminal. Questions go to stderr, so that stdout has only the answer. */
export interface Prompt {
  /** Resolves with the typed line; with nothing after Ctrl-D. */
  ask(question: string): Promise<string | undefined>
  close(): void
}

/** Whether stdin and stderr are a terminal, so that questions can be asked. */
export function isInteractive({ stdin, stderr }: Host): boolean {
  return stdin.isTTY === true && stderr.isTTY === true
}

/** Opens a prompt. Ctrl-C aborts `stop`: a terminal in this mode sends no SIGINT. */
export function openPrompt({ stdin, stderr }: Host, stop: AbortController): Prompt {
  const lines = createInterface({ input: stdin, output: stderr })
  const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)))
  lines.on('SIGINT', () => stop.abort())
  // An open terminal would keep the process alive.
  stop.signal.addEventListener('abort', () => lines.close(), { once: true })
  return {
    ask: (question) => Promise.race([lines.question(question), ended]),
    close: () => lines.close(),
  }
}
