import { isObject } from '@agentic-rest/profile'
import type { Environment } from '../environment.ts'
import { jsonDigest } from '../json-value.ts'
import { principalOf, type ToolCall } from '../protocol/tool-host.ts'
import { MAX_SEALED_CHARACTERS, type Seal } from '../sealed-text.ts'
import type { InputAnswer } from './form.ts'

/** An approval that a call waits for. */
export interface PendingApproval {
  /** The tokens of all approvals of the call, separated by commas. */
  readonly token: string
  /** The path of the approval. */
  readonly location: string
  /** The address for the person who decides. */
  readonly url: string
  readonly message: string
  /** When the call stops waiting, in milliseconds since 1970. */
  readonly until: number
  /** Whether the client has accepted the link, so that it is not shown again. */
  readonly accepted: boolean
}

/** The state of a call between its rounds. It is kept by the client, sealed. */
export interface CallState {
  /** The correlation id of all rounds. */
  readonly correlationId: string
  /** The idempotency key of all rounds. */
  readonly key: string
  readonly round: number
  /** How many forms were asked. */
  readonly forms: number
  readonly answers: readonly InputAnswer[]
  /** The body and status of the question that was asked last. */
  readonly asked?: { readonly status: number; readonly body: unknown; readonly requestId: string }
  readonly approval?: PendingApproval
}

// The names are short because clients carry the text.
interface Payload {
  readonly t: string
  readonly d: string
  readonly s: string
  readonly n: string | null
  readonly c: string
  readonly k: string
  readonly r: number
  readonly f: number
  readonly a: readonly InputAnswer[]
  readonly q?: CallState['asked']
  readonly p?: PendingApproval
  readonly e: number
}

const LIFETIME_MS = 600_000

/** Seals states and opens them again, for the same caller, tool and arguments. */
export class CallStates {
  readonly #seal: Seal
  readonly #environment: Pick<Environment, 'now'>

  constructor(seal: Seal, environment: Pick<Environment, 'now'>) {
    this.#seal = seal
    this.#environment = environment
  }

  /** The sealed state; undefined if it is too large. */
  seal(call: ToolCall, state: CallState): string | undefined {
    const { correlationId: c, key: k, round: r, forms: f, answers: a, asked: q, approval: p } = state
    const payload: Payload = {
      ...bindingOf(call),
      c,
      k,
      r,
      f,
      a,
      ...(q && { q }),
      ...(p && { p }),
      e: this.#environment.now() + LIFETIME_MS,
    }
    const text = this.#seal.seal('state', payload)
    return text.length > MAX_SEALED_CHARACTERS ? undefined : text
  }

  /** The state of a call; undefined if anything is wrong, so that all reasons look alike. */
  open(call: ToolCall, text: string): CallState | undefined {
    const value = this.#seal.open('state', text)
    if (!isObject(value)) return undefined
    const payload = value as unknown as Payload
    const binding = bindingOf(call)
    const isBound = (['t', 'd', 's', 'n'] as const).every((member) => payload[member] === binding[member])
    if (!isBound || payload.e <= this.#environment.now()) return undefined
    const { c, k, r, f, a, q, p } = payload
    return {
      correlationId: c,
      key: k,
      round: r,
      forms: f,
      answers: a,
      ...(q && { asked: q }),
      ...(p && { approval: p }),
    }
  }
}

function bindingOf({ name, arguments: given, caller }: ToolCall): Pick<Payload, 't' | 'd' | 's' | 'n'> {
  return { t: name, d: jsonDigest(given), s: principalOf(caller), n: caller.tenant ?? null }
}
