import { formatJson } from './format.ts'
import { ScrollRegion } from './scroll-region.tsx'

interface JsonProps {
  readonly label: string
  readonly value: unknown
}

/** A value as JSON; a text unchanged. */
export function JsonText({ label, value }: JsonProps) {
  return (
    <ScrollRegion label={label} class="json">
      <pre>{typeof value === 'string' ? value : formatJson(value)}</pre>
    </ScrollRegion>
  )
}
