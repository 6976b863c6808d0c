import type { Writable } from 'node:stream'

/** Writes no faster than the reader reads. */
export interface PatientWriter {
  /** False when there is no reader any more, as behind `| head`. */
  write(text: string): Promise<boolean>
  close(): void
}

/**
 * Makes one for a stream. An endless source then does not fill the memory (F13). That a reader has left is heard and not
 * asked for: stdout forgets that it was destroyed.
 */
export function createPatientWriter(stream: Writable): PatientWriter {
  let gone = stream.destroyed
  let wake = () => {}
  const leave = () => {
    gone = true
    wake()
  }
  const goOn = () => wake()
  stream.on('error', leave).on('close', leave).on('drain', goOn)
  return {
    async write(text) {
      if (gone) return false
      if (!stream.write(text))
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      return !gone
    },
    close: () => void stream.off('error', leave).off('close', leave).off('drain', goOn),
  }
}
