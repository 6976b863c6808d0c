import { createEventParser } from '@agentic-rest/profile'
import type { StreamEvent } from './facade/inner-exchange.ts'

const MAX_EVENT_LENGTH = 4_194_304

/** Reads the events of a stream. Events without data are left out; one that is too long throws. */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
): AsyncGenerator<StreamEvent, void> {
  const decoder = new TextDecoder()
  const parser = createEventParser(MAX_EVENT_LENGTH)
  for await (const chunk of chunks)
    for (const { event, data, id } of parser.push(decoder.decode(chunk, { stream: true })))
      yield { ...(event !== 'message' && { event }), data, ...(id !== '' && { id }) }
}
