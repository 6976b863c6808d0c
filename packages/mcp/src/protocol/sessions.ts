import { isObject, type JsonObject } from '@agentic-rest/profile'
import type { Environment } from '../environment.ts'
import { objectAt, textAt } from '../json-value.ts'
import type { Seal } from '../sealed-text.ts'
import { type Caller, type Client, principalOf } from './tool-host.ts'
import { isLegacyVersion, type LegacyVersion } from './versions.ts'

/** The session of a client of 2025. The client keeps it, sealed; nothing is stored. */
export interface Session extends Pick<Client, 'name' | 'elicitation'> {
  readonly version: LegacyVersion
}

interface Payload {
  readonly v: LegacyVersion
  readonly f: boolean
  readonly u: boolean
  readonly c: string
  readonly s: string
  readonly e: number
}

const LIFETIME_MS = 28_800_000
const MAX_NAME_LENGTH = 64

/** Seals sessions and opens them again for the same caller. */
export class Sessions {
  readonly #seal: Seal
  readonly #environment: Pick<Environment, 'now'>

  constructor(seal: Seal, environment: Pick<Environment, 'now'>) {
    this.#seal = seal
    this.#environment = environment
  }

  /** The id of a new session. */
  start({ version, name, elicitation }: Session, caller: Caller): string {
    const { form: f, url: u } = elicitation
    const e = this.#environment.now() + LIFETIME_MS
    const payload: Payload = { v: version, f, u, c: name, s: principalOf(caller), e }
    return this.#seal.seal('session', payload)
  }

  /** The session of an id; undefined if it is unknown, has ended or belongs to another caller. */
  open(id: string, caller: Caller): Session | undefined {
    const value = this.#seal.open('session', id)
    if (!isObject(value)) return undefined
    const { v, f, u, c, s, e } = value as unknown as Payload
    if (s !== principalOf(caller) || e <= this.#environment.now() || !isLegacyVersion(v)) return undefined
    return { version: v, name: c, elicitation: { form: f, url: u } }
  }
}

/** The name that a client gives itself, cut. */
export function clientName(clientInfo: unknown): string {
  return (textAt(clientInfo, 'name') ?? 'unknown').slice(0, MAX_NAME_LENGTH)
}

/** The kinds of elicitation that capabilities declare. Without a mode they mean forms. */
export function elicitationOf(capabilities: unknown): Client['elicitation'] {
  const declared = isObject(capabilities) ? capabilities['elicitation'] : undefined
  if (!isObject(declared)) return { form: false, url: false }
  const url = isObject(declared['url'])
  return { form: isObject(declared['form']) || !url, url }
}

/** The extension for tasks. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** Whether capabilities declare tasks. */
export function declaresTasks(capabilities: JsonObject): boolean {
  return isObject(objectAt(capabilities, 'extensions')[TASKS_EXTENSION])
}
