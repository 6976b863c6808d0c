export type { AnswerHead } from './client/answer-lines.ts'
export type { AnswerReceiver } from './client/answer-parser.ts'
export { codedError } from './client/coded-error.ts'
export {
  type AnswerHandler,
  type Origin,
  type OriginTls,
  originOf,
  type RequestProgress,
} from './client/connection.ts'
export { ConnectionPool, type Sending } from './client/connection-pool.ts'
export { InvalidAnswerError } from './client/invalid-answer.ts'
export type { WireRequest } from './client/request-writer.ts'
export { type HeaderName, headerKey, headerName } from './header-name.ts'
export { isIdentity, joined } from './header-value.ts'
export { KeptBytes } from './kept-bytes.ts'
export { loadTls } from './load-tls.ts'
export { detached, memoize } from './memoize.ts'
export type { HeadLimits } from './message-faults.ts'
export {
  type AcceptedRequest,
  type ArrivedRequest,
  type ConnectionHost,
  Http1Connection,
  type RequestSignal,
} from './server/connection.ts'
export { DiscardedBodies, type UnwantedBody } from './server/discarded-bodies.ts'
export { type BodyReceiver, type Flow, IncomingBody } from './server/incoming-body.ts'
export { badRequest, headTooLarge, MalformedRequestError, requestTimeout } from './server/malformed.ts'
export { type Peer, peerOf } from './server/peer.ts'
export { pooledSocket } from './server/pooled-socket.ts'
export { type AnsweredConnection, ClientReply, type ReplyOptions } from './server/reply.ts'
export { isRequestTarget, type WireHead } from './server/request-lines.ts'
export { RequestReader, type RequestReceiver } from './server/request-reader.ts'
export {
  HttpDate,
  hasNoContent,
  invalidName,
  KEEP_ALIVE_SECONDS,
  refuseForbiddenBytes,
} from './server/write-head.ts'
