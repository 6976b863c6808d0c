import { TransportError } from './errors.ts'

/** One event of a stream. */
export interface StreamEvent {
  /** `message` unless the event names another type. */
  readonly event: string
  readonly data: string
  /** The last id that the stream gave, empty when it gave none. */
  readonly id: string
}

/** Takes text as it comes and gives the events that it completes. */
export interface EventParser {
  push(text: string): StreamEvent[]
}

/** A parser of event streams as the HTML standard has them (9.2.6), which keeps at most so many characters. */
export function createEventParser(maxEventLength: number): EventParser {
  let line = ''
  let afterReturn = false
  let data = ''
  let event = ''
  let id = ''

  const refuseExcess = () => {
    if (data.length + line.length > maxEventLength)
      throw new TransportError('EVENT_TOO_LARGE', `an event is longer than ${maxEventLength} characters`)
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
      // A line end of two characters can be cut between two chunks.
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
