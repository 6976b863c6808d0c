import type { OperationStatus } from '@agentic-rest/client'
import { jsonText, terminalLine } from '../terminal-text.ts'

/** Shows how far an operation is. */
export interface ProgressLine {
  show(status: OperationStatus): void
  /** Leaves the line, so that what follows does not stand behind it. */
  end(): void
}

/** On a terminal one line that changes; elsewhere a line for each change. */
export function createProgressLine(stream: NodeJS.WriteStream): ProgressLine {
  let last = ''
  return {
    show(status) {
      const text = progressText(status)
      if (text === last) return
      last = text
      stream.write(
        stream.isTTY ? `\r\u001b[2K${text.slice(0, Math.max(20, stream.columns - 1))}` : `${text}\n`,
      )
    },
    end() {
      if (last !== '' && stream.isTTY) stream.write('\n')
      last = ''
    },
  }
}

function progressText({ operationId, status, progress }: OperationStatus): string {
  const how = progress === undefined || progress === null ? '' : `: ${readable(progress)}`
  return terminalLine(`operation ${operationId} ${status}${how}`)
}

function readable(progress: unknown): string {
  return typeof progress === 'string' ? progress : jsonText(progress, 0)
}
