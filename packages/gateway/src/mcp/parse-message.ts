import { MAX_MESSAGE_DEPTH, parseJson } from '@agentic-rest/profile'

/** The most values of a message: 256 KiB of `[[],[],…` take a hundred times the memory. */
const MAX_VALUES = 10_000
/** Messages are parsed on the event loop. A larger one may have fewer values, so that it hardly takes longer. */
const LARGE_BYTES = 32_768
const MAX_VALUES_OF_LARGE = 1_500
/** As in the protocol package. */
const MAX_BATCH = 100

/** A message of an MCP client, `undefined` where it is no JSON, or the limit that it exceeds. */
export function parseMessage(
  bytes: Buffer,
): { readonly body: unknown; readonly fault?: undefined } | { readonly fault: string } {
  const isLarge = bytes.length > LARGE_BYTES
  const maxValues = isLarge ? MAX_VALUES_OF_LARGE : MAX_VALUES
  const { value, fault } = parseJson(bytes.toString(), { isMessage: true, maxValues })
  if (fault?.reason === 'too_many') {
    const size = isLarge ? ` and more than ${LARGE_BYTES} bytes` : ''
    return { fault: `The message has more than ${maxValues} values${size}` }
  }
  if (fault?.reason === 'too_deep') return { fault: `The message has more than ${MAX_MESSAGE_DEPTH} levels` }
  if (Array.isArray(value) && value.length > MAX_BATCH)
    return { fault: `The batch has more than ${MAX_BATCH} messages` }
  return { body: value }
}
