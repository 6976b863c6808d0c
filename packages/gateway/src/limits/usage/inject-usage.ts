import { headerKeys, isJsonType, mediaTypeEssence } from '@agentic-rest/profile'
import type { RouteConfig } from '../../config/config-schema.ts'
import { isMessagesApi } from '../../config/schema/path-template.ts'
import { type Exchange, type StepResult, unlessCancelled } from '../../exchange.ts'
import { LimitReachedError, refuse } from '../refuse.ts'
import { type MemberReader, readMembers } from './json-members.ts'

/**
 * Whether streamed chats of a route ask for usage. By default those do whose streams are counted, except where the path
 * is that of the Messages API: it reports usage by itself and refuses the unknown member.
 */
export function asksForUsage({ inject_usage, mode, path }: RouteConfig, isCounted: boolean): boolean {
  return inject_usage ?? (isCounted && mode === 'sse' && !isMessagesApi(path))
}

/** Makes a streamed chat request ask for usage, after every plugin has seen its body. Other bodies pass as they are. */
export async function askForUsage(exchange: Exchange, maxBytes: number): Promise<StepResult> {
  const { body, headers, signal } = exchange
  const type = headers[headerKeys.contentType]
  if (type !== undefined && !isJsonType(mediaTypeEssence(type))) return undefined
  try {
    // Above `maxBytes` the request is refused while it is forwarded.
    const bytes = await unlessCancelled(body.read(maxBytes), signal)
    const changed = bytes && (await withUsageAsked(bytes))
    if (changed !== undefined) body.replace(changed)
    return undefined
  } catch (error) {
    if (error instanceof LimitReachedError) return refuse(exchange, error.limit)
    throw error
  }
}

const INCLUDED = '"include_usage":true'
const BLANK = 0x20
const OPENING_BRACE = 0x7b

/**
 * A streamed chat or completions body that asks for usage too: `stream_options.include_usage` is true in it, and every
 * other byte is the same. `undefined` if nothing is to be changed: no JSON object, no `stream: true`, another API, or
 * asked for already. Other APIs report usage by themselves, and some refuse the unknown member. A member `input` does
 * not make a chat another API: it is the caller who writes it.
 */
export async function withUsageAsked(body: Buffer): Promise<Buffer | undefined> {
  const members = await readMembers(body, ['stream', 'messages', 'prompt', 'stream_options'])
  if (members?.value('stream') !== true) return undefined
  if (members.span('messages') === undefined && !isCompletion(body, members)) return undefined
  const options = members.span('stream_options')
  // The body has members, so that a comma is right.
  if (options === undefined) return insertAtEnd(body, `,"stream_options":{${INCLUDED}}`)
  const changed = await changedOptions(body.subarray(options.start, options.end))
  return changed && Buffer.concat([body.subarray(0, options.start), changed, body.subarray(options.end)])
}

/** The prompt of a completion is a text or a list; that of the Responses API is an object. */
function isCompletion(body: Buffer, members: MemberReader): boolean {
  const prompt = members.span('prompt')
  if (prompt === undefined) return false
  return body.subarray(prompt.start, prompt.end).find((byte) => byte > BLANK) !== OPENING_BRACE
}

/** `undefined` for options that ask for usage already, or that are no object and no null. */
async function changedOptions(options: Buffer): Promise<Buffer | undefined> {
  if (options.toString('latin1', 0, 16).trim() === 'null') return Buffer.from(`{${INCLUDED}}`)
  const members = await readMembers(options, ['include_usage'])
  if (members === undefined || members.value('include_usage') === true) return undefined
  const asked = members.span('include_usage')
  if (asked !== undefined)
    return Buffer.concat([options.subarray(0, asked.start), Buffer.from('true'), options.subarray(asked.end)])
  const isEmpty = /^\s*\{\s*\}\s*$/.test(options.toString('latin1'))
  return insertAtEnd(options, isEmpty ? INCLUDED : `,${INCLUDED}`)
}

/** Inserts members before the last brace of an object. */
function insertAtEnd(object: Buffer, members: string): Buffer {
  const brace = object.lastIndexOf('}')
  return Buffer.concat([object.subarray(0, brace), Buffer.from(members), object.subarray(brace)])
}
