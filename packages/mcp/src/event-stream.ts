import type { StreamEvent } from './facade/inner-exchange.ts'

const MAX_EVENT_LENGTH = 4_194_304

/** Reads the events of a stream (WHATWG HTML 9.2.6). Events without data are left out; one that is too long throws. */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
): AsyncGenerator<StreamEvent, void> {
  const decoder = new TextDecoder()
  const block = new EventBlock()
  let rest = ''
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true })
    // A carriage return at the end may be the first half of a line end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    if (rest.length + block.length > MAX_EVENT_LENGTH)
      throw new RangeError('an event of the stream is too long')
    for (const line of lines) {
      const event = block.add(line)
      if (event !== undefined) yield event
    }
  }
}

/** The lines of one event. */
class EventBlock {
  #data: string[] = []
  #event: string | undefined
  #id: string | undefined
  length = 0

  /** Adds a line; returns the event that an empty line ends. */
  add(line: string): StreamEvent | undefined {
    if (line === '') return this.#take()
    this.length += line.length
    const [, field = '', value = ''] = /^([^:]*)(?:: ?)?(.*)$/s.exec(line) ?? []
    if (field === 'data') this.#data.push(value)
    if (field === 'event') this.#event = value
    if (field === 'id' && !value.includes('\0')) this.#id = value
    return undefined
  }

  #take(): StreamEvent | undefined {
    const event = {
      ...(this.#event !== undefined && this.#event !== '' && { event: this.#event }),
      data: this.#data.join('\n'),
      ...(this.#id !== undefined && { id: this.#id }),
    }
    const hasData = this.#data.length > 0
    this.#data = []
    this.#event = undefined
    this.#id = undefined
    this.length = 0
    return hasData ? event : undefined
  }
}
