import type { MessageFaults } from '../message-faults.ts'

/** The statuses of RFC 9110, section 15.5, and RFC 6585 that answer bytes which are no request. */
const statuses = {
  badRequest: 400,
  requestTimeout: 408,
  contentTooLarge: 413,
  uriTooLong: 414,
  headersTooLarge: 431,
} as const

/** Bytes that are no request. The code is the word for the fault that Node's parser made common. */
export class MalformedRequestError extends Error {
  override readonly name = 'MalformedRequestError'
  readonly status: number
  readonly code: string

  constructor(code: string, status: number) {
    super(code)
    this.code = code
    this.status = status
  }
}

/** The fault of bytes that are not valid HTTP/1.1. */
export function badRequest(code: string): MalformedRequestError {
  return new MalformedRequestError(code, statuses.badRequest)
}

/** The fault of a head or of trailers that are too large. */
export function headTooLarge(isInRequestLine: boolean): MalformedRequestError {
  const { uriTooLong, headersTooLarge } = statuses
  return new MalformedRequestError('HPE_HEADER_OVERFLOW', isInRequestLine ? uriTooLong : headersTooLarge)
}

/** The fault of chunks whose extensions are too large. */
function extensionsTooLarge(): MalformedRequestError {
  return new MalformedRequestError('HPE_CHUNK_EXTENSIONS_OVERFLOW', statuses.contentTooLarge)
}

/** The fault of a head or body that does not arrive in time. */
export function requestTimeout(): MalformedRequestError {
  return new MalformedRequestError('ERR_HTTP_REQUEST_TIMEOUT', statuses.requestTimeout)
}

/** The faults of requests, as the readers of heads and chunks name them. */
export const requestFaults: MessageFaults = {
  control: (isFirstLine) => badRequest(isFirstLine ? 'HPE_INVALID_URL' : 'HPE_INVALID_HEADER_TOKEN'),
  tooLarge: headTooLarge,
  field: () => badRequest('HPE_INVALID_HEADER_TOKEN'),
  length: () => badRequest('HPE_INVALID_CONTENT_LENGTH'),
  coding: () => badRequest('HPE_INVALID_TRANSFER_ENCODING'),
  chunkSize: () => badRequest('HPE_INVALID_CHUNK_SIZE'),
  chunkEnd: () => badRequest('HPE_STRICT'),
  extensionsTooLarge,
}
