import type { ExchangeState } from './exchange-state.ts'

/** The state of an exchange, in the colour of its family. The colour adds no information to the text. */
export function StateBadge({ state: { status, words, family } }: { readonly state: ExchangeState }) {
  return (
    <span class={`badge ${family}`}>
      {status !== undefined && <b>{status}</b>} {words}
    </span>
  )
}
