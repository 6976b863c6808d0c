import type { RequiredInput } from '@agentic-rest/client'
import { didYouMean } from '@agentic-rest/gateway/did-you-mean'

/** What somebody typed as a value of the input, or what is wrong with it. */
export type TypedAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: string }

/** Reads a typed line as the input wants it. A choice may be typed out or by its number. */
export function readAnswer(input: RequiredInput, line: string): TypedAnswer {
  const { allowedValues = [], type } = input
  if (allowedValues.length > 0 && type !== 'array' && type !== 'object')
    return readChoice(allowedValues, line)
  return readers[type](line)
}

/** A value as it is shown and typed. */
export function choiceText(value: unknown): string {
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
  try {
    const value: unknown = JSON.parse(line)
    if (fits(value)) return { ok: true, value }
  } catch {
    // Told below, as any other value that does not fit.
  }
  return { ok: false, fault: `it is ${kind}` }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
