import { readFileSync } from 'node:fs'
import { sha256 } from '../key-text.ts'

/** The events of approvals that are notified. */
export const approvalEvents = ['approval.requested', 'approval.decided', 'approval.expired'] as const

/** An event of an approval. */
export type ApprovalEvent = (typeof approvalEvents)[number]

/** A receiver of notifications. */
export interface ApprovalNotify {
  /** An http or https address. It may contain a secret: it is neither logged nor stored. */
  readonly url: string
  /** A file with the signing secret, `whsec_` and base64. Required for `standard`. */
  readonly secretFile?: string
  /** `standard`: signed as Standard Webhooks says, by default. `slack`: a message with one link. */
  readonly format?: 'standard' | 'slack'
  /** All by default. */
  readonly events?: readonly ApprovalEvent[]
}

/** The notifications of a service. */
export interface NotifyOptions {
  /** The public address of the gateway in front, for the links in notifications. */
  readonly publicUrl?: string
  readonly notify?: readonly ApprovalNotify[]
}

/** A receiver whose options are checked. */
export interface Receiver {
  /** Names the receiver in the store: its address may contain a secret. */
  readonly target: string
  readonly url: string
  readonly key: Buffer | undefined
  readonly format: 'standard' | 'slack'
  readonly events: ReadonlySet<string>
}

const PREFIX = 'whsec_'
// The sizes that Standard Webhooks recommends.
const [MIN_KEY_BYTES, MAX_KEY_BYTES] = [24, 64]

/** Checks the options once, at the start; throws a `TypeError` with the name of the option and no secret. */
export function readReceivers({ publicUrl, notify = [] }: NotifyOptions): readonly Receiver[] {
  if (publicUrl !== undefined) assertHttp('runtime.approvals.publicUrl', publicUrl)
  if (notify.length > 0 && publicUrl === undefined)
    throw new TypeError('runtime.approvals.notify needs runtime.approvals.publicUrl, for its links')
  const receivers = notify.map((each, index) => readReceiver(`runtime.approvals.notify[${index}]`, each))
  for (const [index, { target }] of receivers.entries())
    if (receivers.findIndex((other) => other.target === target) < index)
      throw new TypeError(`runtime.approvals.notify[${index}].url is that of another receiver`)
  return receivers
}

function readReceiver(name: string, given: ApprovalNotify): Receiver {
  const { url, secretFile, format = 'standard', events = approvalEvents } = given
  assertHttp(`${name}.url`, url)
  if (format !== 'standard' && format !== 'slack')
    throw new TypeError(`${name}.format has to be standard or slack`)
  const unknown = events.find((event) => !approvalEvents.includes(event))
  if (unknown !== undefined)
    throw new TypeError(`${name}.events has to be some of ${approvalEvents.join(', ')}`)
  if (format === 'standard' && secretFile === undefined)
    throw new TypeError(`${name}.secretFile is needed to sign notifications`)
  const key = secretFile === undefined ? undefined : readKey(`${name}.secretFile`, secretFile)
  return { target: sha256(url), url, key, format, events: new Set(events) }
}

function assertHttp(name: string, url: string): void {
  const { protocol = '', username = '', password = '' } = URL.parse(url) ?? {}
  if (!/^https?:$/.test(protocol)) throw new TypeError(`${name} has to be an http or https URL`)
  // fetch refuses such an address, at every attempt.
  if (`${username}${password}` !== '') throw new TypeError(`${name} must not contain a user or a password`)
}

function readKey(name: string, file: string): Buffer {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (cause) {
    throw new TypeError(`${name} cannot be read: ${file}`, { cause })
  }
  const key = Buffer.from(text.slice(PREFIX.length), 'base64')
  if (!text.startsWith(PREFIX) || key.length < MIN_KEY_BYTES || key.length > MAX_KEY_BYTES)
    throw new TypeError(
      `${name} has to contain ${PREFIX} and ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} bytes in base64`,
    )
  return key
}
