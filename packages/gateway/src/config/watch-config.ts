import { unwatchFile, watchFile } from 'node:fs'

const LOOK_MS = 500
/** A file that is being written is left alone for a moment: half of it would be refused. */
const SETTLE_MS = 200

/**
 * Tells of every change of a file; returns what ends that. It looks at the file now and then instead of listening: what
 * the kernel reports depends on how a file is replaced, and a volume that swaps a link above it reports nothing at all.
 */
export function watchConfig(file: string, onChange: () => void): () => void {
  let settling: NodeJS.Timeout | undefined
  const changed = () => {
    clearTimeout(settling)
    settling = setTimeout(onChange, SETTLE_MS)
  }
  watchFile(file, { interval: LOOK_MS, persistent: false }, changed)
  return () => {
    clearTimeout(settling)
    unwatchFile(file, changed)
  }
}
