import { createInterface } from 'node:readline/promises'
import type { Host } from '../host.ts'

/** Asks at the terminal. Questions go to stderr, so that stdout stays the answer. */
export interface Prompt {
  /** The line that was typed; nothing when there are no more (Ctrl-D). */
  ask(question: string): Promise<string | undefined>
  close(): void
}

/** Whether somebody sits at a terminal and can be asked. */
export function isInteractive({ stdin, stderr }: Host): boolean {
  return stdin.isTTY === true && stderr.isTTY === true
}

/** Opens the terminal. Ctrl-C, which a terminal that is read in this way does not send as a signal, aborts `stop`. */
export function openPrompt({ stdin, stderr }: Host, stop: AbortController): Prompt {
  const lines = createInterface({ input: stdin, output: stderr })
  const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)))
  lines.on('SIGINT', () => stop.abort())
  // A terminal that stays open would keep the process.
  stop.signal.addEventListener('abort', () => lines.close(), { once: true })
  return {
    ask: (question) => Promise.race([lines.question(question), ended]),
    close: () => lines.close(),
  }
}
