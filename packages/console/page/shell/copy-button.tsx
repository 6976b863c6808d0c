import { useState } from 'preact/hooks'

interface CopyProps {
  readonly label: string
  /** Created on demand, so that a command with a token is not kept. An error is shown instead. */
  readonly text: () => string | Promise<string>
}

const SHOWN_MS = 1600

/** Copies a text to the clipboard and confirms it. */
export function CopyButton({ label, text }: CopyProps) {
  const [said, setSaid] = useState('')
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(await text())
      setSaid('Copied')
    } catch (error) {
      setSaid(error instanceof TypeError ? error.message : 'The browser does not allow it')
    }
    setTimeout(() => setSaid(''), SHOWN_MS)
  }
  return (
    <span class="copy">
      <button type="button" class="quiet" onClick={() => void copy()}>
        {label}
      </button>
      <span class="copied" role="status">
        {said}
      </span>
    </span>
  )
}
