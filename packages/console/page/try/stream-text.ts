import { parseJson } from '@agentic-rest/profile'
import { fieldsOf, textOrNull } from '../api/read-json.ts'

/** The text of an event: that of a completion in the OpenAI format, a `text` alone, otherwise the data itself. */
export function wordsOf(data: string): string {
  if (data === '[DONE]') return ''
  const fields = fieldsOf(parseJson(data).value)
  return completionText(fields) ?? textAlone(fields) ?? `${data}\n`
}

function textAlone(fields: Fields): string | undefined {
  return fields.size === 1 ? (textOrNull(fields, 'text') ?? undefined) : undefined
}

type Fields = ReturnType<typeof fieldsOf>

function completionText(fields: Fields): string | undefined {
  const choice = fieldsOf(firstOf(fields.get('choices')))
  if (choice.size === 0) return undefined
  return textOrNull(choice, 'text') ?? textOrNull(fieldsOf(choice.get('delta')), 'content') ?? ''
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined
}
