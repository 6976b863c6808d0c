import { isObject, type JsonObject } from '@agentic-rest/profile'
import type { Seal } from '../sealed-text.ts'
import type { RpcId } from './json-rpc.ts'

/** A message for a call that another process serves. */
export type RelayedMessage =
  | {
      readonly type: 'response'
      readonly id: string
      readonly session: string
      readonly result: JsonObject | undefined
    }
  | { readonly type: 'cancelled'; readonly session: string; readonly requestId: RpcId }

/** The name of the process that waits for an answer, as the id of its question says. */
export function instanceOf(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf('.')))
}

/** Seals a message for a way that others can read and write. */
export function sealMessage(message: RelayedMessage, seal: Seal): string {
  return seal.seal('relay', message)
}

/** Opens a message; undefined for every text that no process with the same secrets has sealed. */
export function openMessage(text: string, seal: Seal): RelayedMessage | undefined {
  const value = seal.open('relay', text)
  if (!isObject(value)) return undefined
  const { type, id, session, result, requestId } = value
  if (typeof session !== 'string') return undefined
  if (type === 'response' && typeof id === 'string' && (result === undefined || isObject(result)))
    return { type, id, session, result }
  if (type === 'cancelled' && (typeof requestId === 'string' || typeof requestId === 'number'))
    return { type, session, requestId }
  return undefined
}
