import { lastFrameNames, MAX_EVENT_LENGTH, writeEvent } from '@agentic-rest/profile'
import type { StandardSchemaV1 } from '@standard-schema/spec'

/** The fields of an event besides its data. */
export interface EventFields {
  /** The name of the event; `message` by default. `outcome` and `error` are the names of last frames. */
  readonly event?: string | undefined
  readonly id?: string | undefined
  /** The pause before a reader connects again, in milliseconds. */
  readonly retry?: number | undefined
}

/** Data with the other fields of its event. */
export class ServiceEvent<Data = unknown> {
  readonly data: Data
  readonly fields: EventFields

  constructor(data: Data, fields: EventFields) {
    this.data = data
    this.fields = fields
  }
}

/** An event with a name, an id or a pause, to yield in `run`. Throws a `TypeError` for fields that no stream can carry. */
export function event<Data>(data: Data, fields: EventFields): ServiceEvent<Data> {
  const { event: name, id, retry } = fields
  if (name !== undefined && (name === '' || /[\r\n\0]/.test(name)))
    throw new TypeError('the name of an event is a text without line breaks')
  if (name !== undefined && lastFrameNames.includes(name))
    throw new TypeError(`an event cannot have the name ${name}: it is the name of a last frame`)
  if (id !== undefined && /[\r\n\0]/.test(id))
    throw new TypeError('the id of an event is a text without line breaks')
  if (retry !== undefined && !(Number.isSafeInteger(retry) && retry >= 0))
    throw new TypeError('the retry of an event is a whole number of milliseconds')
  // A copy: an object that is changed later must not bring another name or a line break into the stream.
  return new ServiceEvent(data, { event: name, id, retry })
}

/** An event that was checked and written. */
export interface WrittenEvent {
  readonly data: unknown
  /** The frame. */
  readonly text: string
}

/** The event of a stream cannot be sent. The message has no part of its data. */
export class EventFaultError extends TypeError {
  override readonly name = 'EventFaultError'
}

/** Checks a yielded value by the schema of the operation and writes its frame. Throws an `EventFaultError`. */
export function writeYielded(
  yielded: unknown,
  schema: StandardSchemaV1 | undefined,
): WrittenEvent | Promise<WrittenEvent> {
  const { data, fields } = yielded instanceof ServiceEvent ? yielded : { data: yielded, fields: {} }
  if (schema === undefined) return frameOf(data, fields)
  const result = schema['~standard'].validate(data)
  return result instanceof Promise
    ? result.then((settled) => frameOf(accepted(settled), fields))
    : frameOf(accepted(result), fields)
}

function accepted(result: StandardSchemaV1.Result<unknown>): unknown {
  if (result.issues === undefined) return result.value
  const [issue] = result.issues
  const path = (issue?.path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
  throw new EventFaultError(
    `the event schema refuses an event${path === '' ? '' : ` at ${path}`}: ${issue?.message}`,
  )
}

function frameOf(data: unknown, fields: EventFields): WrittenEvent {
  const text = writeEvent({ ...fields, data: textOf(data) })
  if (text.length > MAX_EVENT_LENGTH)
    throw new EventFaultError(
      `an event has ${text.length} characters, and readers take ${MAX_EVENT_LENGTH} at most`,
    )
  return { data, text }
}

function textOf(data: unknown): string {
  if (typeof data === 'string') return data
  if (typeof data === 'number' && !Number.isFinite(data))
    throw new EventFaultError('an event cannot be a number that is not finite')
  let text: string | undefined
  try {
    text = JSON.stringify(data)
  } catch (cause) {
    throw new EventFaultError('an event cannot be written as JSON', { cause })
  }
  if (text === undefined) throw new EventFaultError(`an event cannot be ${typeof data}`)
  return text
}
