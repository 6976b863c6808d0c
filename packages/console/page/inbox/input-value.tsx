import { printableText } from '@agentic-rest/profile'

// Deeper values are compact JSON: a service may send thousands of levels.
const SHOWN_LEVELS = 4

interface ValueProps {
  readonly value: unknown
  readonly depth?: number
}

/**
 * A JSON value to read: objects as names and values, lists as lists, the rest as text. Whoever decides must see what is
 * invisible in it.
 */
export function InputValue({ value, depth = 0 }: ValueProps) {
  if (typeof value !== 'object' || value === null)
    return <span class="inbox-value">{printableText(String(value))}</span>
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  if (entries.length === 0) return <span class="note">{isList ? 'an empty list' : 'empty'}</span>
  if (depth >= SHOWN_LEVELS) return <code class="inbox-value">{compactJson(value)}</code>
  if (isList)
    return (
      <ol class="inbox-values">
        {entries.map(([index, each]) => (
          <li key={index}>
            <InputValue value={each} depth={depth + 1} />
          </li>
        ))}
      </ol>
    )
  return (
    <dl class="facts">
      {entries.flatMap(([name, each]) => [
        <dt key={`${name} name`}>{printableText(name)}</dt>,
        <dd key={name}>
          <InputValue value={each} depth={depth + 1} />
        </dd>,
      ])}
    </dl>
  )
}

function compactJson(value: unknown): string {
  try {
    return printableText(JSON.stringify(value))
  } catch {
    return 'A value with too many levels to be shown.'
  }
}
