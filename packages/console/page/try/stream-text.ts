import { parseJson } from '@agentic-rest/profile'
import { fieldsOf, textOrNull } from '../api/read-json.ts'

/** The text of an event: that of a completion in the OpenAI format, otherwise the data itself. */
export function wordsOf(data: string): string {
  if (data === '[DONE]') return ''
  return completionText(data) ?? `${data}\n`
}

function completionText(data: string): string | undefined {
  const choice = fieldsOf(firstOf(fieldsOf(parseJson(data).value).get('choices')))
  if (choice.size === 0) return undefined
  return textOrNull(choice, 'text') ?? textOrNull(fieldsOf(choice.get('delta')), 'content') ?? ''
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined
}
