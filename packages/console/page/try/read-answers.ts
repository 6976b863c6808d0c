import type { Answers, RequiredInput } from '@agentic-rest/client'
import { parseJson } from '@agentic-rest/profile'

/** The texts of a form by input name; several for a multiple choice. */
export type Entries = ReadonlyMap<string, readonly string[]>

/** The answers of a form, or its faults by input name. */
export type AnswersReading =
  | { readonly ok: true; readonly answers: Answers }
  | { readonly ok: false; readonly faults: ReadonlyMap<string, string> }

type Read = { readonly value: unknown } | { readonly fault: string }

/** Reads a form by the type hints of its inputs. Empty optional inputs are left out. */
export function readAnswers(inputs: readonly RequiredInput[], entries: Entries): AnswersReading {
  const faults = new Map<string, string>()
  const answers: [string, unknown][] = []
  for (const input of inputs) {
    const texts = (entries.get(input.name) ?? []).filter((text) => text.trim() !== '')
    const read = readInput(input, texts)
    if ('fault' in read) faults.set(input.name, read.fault)
    else if (read.value !== undefined) answers.push([input.name, read.value])
  }
  if (faults.size > 0) return { ok: false, faults }
  const [first] = inputs
  if (answers.length === 0 && first !== undefined)
    return { ok: false, faults: new Map([[first.name, 'Answer at least one question.']]) }
  return { ok: true, answers: Object.fromEntries(answers) }
}

function readInput(input: RequiredInput, texts: readonly string[]): Read {
  const [text] = texts
  if (text === undefined) return input.required ? { fault: 'This is needed to go on.' } : { value: undefined }
  if (input.allowedValues !== undefined) return readChoice(input, input.allowedValues, texts)
  switch (input.type) {
    case 'string':
      return { value: text }
    case 'integer':
      return readInteger(text)
    case 'boolean':
      return { value: text === 'true' }
    case 'array':
      return readList(text)
    case 'object':
      return readObject(text)
  }
}

// A choice is the index of its value, so that numbers and objects keep their type.
function readChoice({ type }: RequiredInput, allowed: readonly unknown[], texts: readonly string[]): Read {
  const values = texts.map((text) => allowed[Number(text)])
  return { value: type === 'array' ? values : values[0] }
}

function readInteger(text: string): Read {
  const value = Number(text)
  return Number.isSafeInteger(value) ? { value } : { fault: 'This has to be a whole number.' }
}

/** A JSON list, or one text per line. */
function readList(text: string): Read {
  const { value: parsed } = parseJson(text)
  if (Array.isArray(parsed)) return { value: parsed }
  return {
    value: text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  }
}

function readObject(text: string): Read {
  const { value: parsed } = parseJson(text)
  const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
  return isObject ? { value: parsed } : { fault: 'This has to be a JSON object, such as {"name": "value"}.' }
}
