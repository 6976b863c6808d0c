import type { Writable } from 'node:stream'
import {
  type Answer,
  type Answered,
  type Client,
  type ClientRequest,
  readOutcomeFrame,
  StreamError,
  type StreamEvent,
} from '@agentic-rest/client'
import { printableText } from '@agentic-rest/profile'
import { jsonText, terminalLine } from '../terminal-text.ts'

/** Prints events as they arrive; resolves with the outcome of the last frame if the stream ends with one. */
export async function printStream(
  client: Pick<Client, 'stream'>,
  request: ClientRequest,
  { stdout, json }: { readonly stdout: Writable; readonly json: boolean },
): Promise<Answered | undefined> {
  const writer = createPatientWriter(stdout)
  let answer: Answer | undefined
  const onOpen = (opened: Answer) => {
    answer = opened
  }
  let outcome: Answered | undefined
  try {
    for await (const event of client.stream(request, { onOpen })) {
      outcome = answer && readOutcomeFrame(event, answer)
      // The outcome is shown as that of any other call.
      if (outcome === undefined && !(await writer.write(eventText(event, json)))) break
    }
    return outcome
  } catch (error) {
    if (error instanceof StreamError) return error.outcome
    throw error
  } finally {
    writer.close()
  }
}

function eventText({ event, data, id }: StreamEvent, json: boolean): string {
  if (json) return `${jsonText({ event, data, id }, 0)}\n`
  return `${event === 'message' ? '' : `${terminalLine(event)}: `}${printableText(data)}\n`
}

interface PatientWriter {
  /** False when the reader has closed the pipe, as behind `| head`. */
  write(text: string): Promise<boolean>
  close(): void
}

/**
 * Writes no faster than the reader reads, so that an endless stream does not fill the memory (F13). The end of the
 * reader is noted as an event, because stdout does not stay `destroyed`.
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
