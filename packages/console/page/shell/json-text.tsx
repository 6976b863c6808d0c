import { formatJson } from './format.ts'
import { tokenizeJson } from './json-tokens.ts'
import { ScrollRegion } from './scroll-region.tsx'

interface JsonProps {
  readonly label: string
  readonly value: unknown
}

// Each token is an element; very many make the page slow.
const MAX_COLOURED = 100_000

/** A value as coloured JSON; a text unchanged. */
export function JsonText({ label, value }: JsonProps) {
  const text = typeof value === 'string' ? value : formatJson(value)
  const isColoured = typeof value !== 'string' && text.length <= MAX_COLOURED
  return (
    <ScrollRegion label={label} class="json">
      <pre>
        {isColoured
          ? tokenizeJson(text).map(({ kind, text: part }, index) =>
              kind === 'mark' ? (
                part
              ) : (
                <span key={index} class={`json-${kind}`}>
                  {part}
                </span>
              ),
            )
          : text}
      </pre>
    </ScrollRegion>
  )
}
