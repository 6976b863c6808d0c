/** The media type of event streams. */
export const EVENT_STREAM_TYPE = 'text/event-stream'

/** The usual limit of an event in characters: the service SDK writes no longer ones, and the client reads no longer ones. */
export const MAX_EVENT_LENGTH = 1_000_000

/** One event of a stream. */
export interface StreamEvent {
  /** `message` by default. */
  readonly event: string
  readonly data: string
  /** The last id of the stream; empty if there is none. */
  readonly id: string
}

/** Parses chunks of text; returns the completed events. */
export interface EventParser {
  push(text: string): StreamEvent[]
}

/**
 * Creates a parser of event streams (HTML standard, 9.2.6) with a limit on the size of an event. A longer one throws a
 * `RangeError`. A function gives the limit by the name that an event has before its data.
 */
export function createEventParser(limit: number | ((event: string) => number)): EventParser {
  const limitOf = typeof limit === 'number' ? () => limit : limit
  let line = ''
  let afterReturn = false
  let data = ''
  let event = ''
  let id = ''

  const refuseExcess = () => {
    const maxEventLength = limitOf(event)
    if (data.length + line.length > maxEventLength)
      throw new RangeError(`an event is longer than ${maxEventLength} characters`)
  }
  const takeField = (name: string, value: string) => {
    if (name === 'data') data += `${value}\n`
    if (name === 'event') event = value
    if (name === 'id' && !value.includes('\0')) id = value
  }
  const endEvent = (): StreamEvent[] => {
    const complete = { event: event || 'message', data: data.slice(0, -1), id }
    const isEmpty = data === ''
    data = ''
    event = ''
    return isEmpty ? [] : [complete]
  }
  const endLine = (): StreamEvent[] => {
    refuseExcess()
    const whole = line
    line = ''
    if (whole === '') return endEvent()
    const colon = whole.indexOf(':')
    if (colon === -1) takeField(whole, '')
    else takeField(whole.slice(0, colon), whole.slice(colon + 1).replace(/^ /, ''))
    return []
  }
  return {
    push(text) {
      if (text === '') return []
      // A CRLF can be split between two chunks.
      const fresh = afterReturn && text.startsWith('\n') ? text.slice(1) : text
      afterReturn = text.endsWith('\r')
      const [first = '', ...others] = fresh.split(/\r\n?|\n/)
      line += first
      const events = others.flatMap((start) => {
        const complete = endLine()
        line = start
        return complete
      })
      refuseExcess()
      return events
    },
  }
}

/** An event to write. Name and id have no line breaks; `retry` is in milliseconds. */
export interface WritableEvent {
  readonly event?: string | undefined
  readonly data: string
  readonly id?: string | undefined
  readonly retry?: number | undefined
}

/** The text of an event. Its data may have several lines; all line ends become `\n`. */
export function writeEvent({ event, data, id, retry }: WritableEvent): string {
  const name = event === undefined ? '' : `event: ${event}\n`
  const place = id === undefined ? '' : `id: ${id}\n`
  const pause = retry === undefined ? '' : `retry: ${retry}\n`
  return `${name}${place}${pause}data: ${data.replaceAll(/\r\n?|\n/g, '\ndata: ')}\n\n`
}
