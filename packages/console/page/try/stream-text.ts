import { parseJson, type StreamEvent } from '@agentic-rest/profile'
import { type Fields, fieldsOf, textOrNull } from '../api/read-json.ts'

/** The events of a stream so far. */
export interface ShownEvents {
  /** All of them, also those whose text is no longer kept. */
  readonly count: number
  readonly text: string
  /** Whether the text begins later than the stream. */
  readonly isCut: boolean
}

/** Collects the text of a stream. */
export interface StreamText {
  add(event: StreamEvent): void
  shown(): ShownEvents
}

// More would make the page slow: the browser lays the whole text out again for each change.
const MAX_LENGTH = 50_000

/** Creates the text of a stream, of which only the end is kept. */
export function createStreamText(maxLength = MAX_LENGTH): StreamText {
  let [count, text, isCut] = [0, '', false]
  return {
    add(event) {
      const longer = `${text}${wordsOf(event)}`
      count += 1
      isCut ||= longer.length > maxLength
      text = longer.slice(-maxLength)
    },
    shown: () => ({ count, text, isCut }),
  }
}

/** The text of an event: that of a completion in the OpenAI format, a `text` alone, otherwise a line with its name, if it has one, and its data. */
export function wordsOf({ event, data }: Pick<StreamEvent, 'event' | 'data'>): string {
  if (event !== 'message') return `${event}: ${data}\n`
  if (data === '[DONE]') return ''
  const fields = fieldsOf(parseJson(data).value)
  return completionText(fields) ?? textAlone(fields) ?? `${data}\n`
}

function textAlone(fields: Fields): string | undefined {
  return fields.size === 1 ? (textOrNull(fields, 'text') ?? undefined) : undefined
}

function completionText(fields: Fields): string | undefined {
  const choice = fieldsOf(firstOf(fields.get('choices')))
  if (choice.size === 0) return undefined
  return textOrNull(choice, 'text') ?? textOrNull(fieldsOf(choice.get('delta')), 'content') ?? ''
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined
}
