import type { AuditBatch } from '@agentic-rest/audit-log'
import type { RelayedMessage } from '@agentic-rest/mcp'
import type { OtherWorkers, WorkerRecords } from '../admin/other-workers.ts'
import type { AuditFileSettings } from '../audit-log/audit-files.ts'
import type { KeyEnd } from '../exchange.ts'
import type { HeldKey } from '../idempotency/key-state.ts'
import type { KeyClaiming, MemoryVerdict } from '../idempotency/memory-keys.ts'
import type { ReloadResult, ValidConfig } from '../lifetime/reload.ts'
import type { Decision, Demand, Settlement, Standing } from '../limits/policies/limit-store.ts'
import type { ClientSocket, ConnectionReport } from '../listen/handed-connections.ts'
import type { LogLevel } from '../log.ts'
import type { Exposition, MetricValues } from '../metrics/registry.ts'
import type { Ended, Session } from '../sessions/session-store.ts'

/** A configuration as workers get it: the texts of its file and its modules. The files may have changed since. */
export type ConfigTexts = Pick<ValidConfig, 'text' | 'modules'>

/** The settings of a worker. */
export interface Boot extends ConfigTexts {
  /** From 1; worker 1 has the admin listener. */
  readonly index: number
  /** The number of workers. */
  readonly count: number
  readonly file: string
  readonly consoleFolder: string | undefined
  /** Whether worker 1 has an admin listener, which asks the others for their records. */
  readonly hasAdmin: boolean
  /** Whether the worker writes to the stdout of the gateway itself. */
  readonly sharesStdout: boolean
  /** All workers open the sessions of browsers that one of them sealed. */
  readonly sessionSecret: string
  readonly log: { readonly level: LogLevel; readonly pretty: boolean }
}

/** A session with its id. */
export interface NamedSession {
  readonly id: string
  readonly session: Session
}

type Later<Value> = Value | Promise<Value>

/** The functions of the supervisor that a worker calls. */
export type SupervisorCalls = {
  boot(): Boot
  /** The worker takes connections. Answers with the port when clients can connect: when all workers are ready. */
  ready(value: { readonly adminPort: number | undefined }): Later<number>
  /** The worker cannot start. `isInitialisation` blames the configuration or its environment, not the program. */
  failed(failure: { readonly reason: string; readonly isInitialisation: boolean }): void
  connections(report: ConnectionReport): void
  stopAccepting(): Later<void>
  /** False when the tenant is at its limit. */
  takeSlot(tenantId: string): boolean
  releaseSlot(tenantId: string): void
  /** Decides on the limits of a request, for all workers. */
  decideLimits(demands: readonly Demand[]): Later<Decision>
  settleLimits(settlements: readonly Settlement[]): void
  peekLimits(demands: readonly Demand[]): Later<readonly Standing[]>
  /** Claims an idempotency key in the memory of the supervisor, which keeps them for all workers. */
  claimKey(claiming: KeyClaiming): MemoryVerdict
  renewKeys(keys: readonly HeldKey[]): void
  settleKey(settled: { readonly held: HeldKey; readonly end: KeyEnd }): void
  counts(values: MetricValues): void
  /** Passes on an answer of an MCP client to the worker that waits for it. */
  relayMcp(message: RelayedMessage): void
  /** Finds, keeps and ends sessions of browsers in the memory of the supervisor. */
  findSession(id: string): Session | undefined
  addSession(added: NamedSession): void
  replaceSession(replaced: NamedSession): void
  endSession(id: string): Session | undefined
  endSessions(ended: Ended): number
  claimName(claim: { readonly name: string; readonly ms: number }): boolean
  /** Writes audit records to a file; answers with the reason when they are lost. */
  audit(written: {
    readonly settings: AuditFileSettings
    readonly batch: AuditBatch
  }): Later<string | undefined>
  /** The metrics of all workers. */
  metrics(): Later<Exposition>
  /** The reasons of all workers. */
  degraded(): Later<readonly string[]>
} & OtherWorkers

/** The functions of a worker that the supervisor calls. */
export type WorkerCalls = {
  connection(value: undefined, socket?: ClientSocket): void
  metrics(): MetricValues
  degraded(): readonly string[]
  /** Prepares a configuration; answers with its faults. */
  prepareReload(texts: ConfigTexts): Later<readonly string[]>
  concludeReload(result: ReloadResult): Later<void>
  drain(): void
  /** Takes an answer of an MCP client that another worker got. */
  receiveMcp(message: RelayedMessage): void
} & Omit<WorkerRecords, 'watch'>

type Calls = Readonly<Record<string, (value: never, socket?: ClientSocket) => unknown>>
type Value<Call> = Call extends (value: infer Given, socket?: ClientSocket) => unknown ? Given : undefined
type Answer<Call> = Call extends (...given: never[]) => infer Result ? Awaited<Result> : never

/** The other process: a child process, or `process` in a child. */
export type Peer = Pick<NodeJS.Process, 'send' | 'on'>

/** A call with an id is answered; an answer has the id of its call. */
type Message =
  | { readonly type: 'call'; readonly name: string; readonly value: unknown; readonly id?: number }
  | { readonly type: 'answer'; readonly id: number; readonly value?: unknown; readonly failed?: boolean }

/** Calls between the supervisor and one worker. Messages arrive in the order they were sent. */
export class Channel<Own extends Calls, Theirs extends Calls> {
  readonly #peer: Peer
  readonly #own: Partial<Own>
  readonly #questions = new Map<number, PromiseWithResolvers<unknown>>()
  #lastId = 0
  #isClosed = false

  constructor(peer: Peer, own: Partial<Own>) {
    this.#peer = peer
    this.#own = own
    // Both processes run this code, so that messages need no check.
    peer.on('message', (message, socket) => this.#receive(message as Message, socket as ClientSocket))
    peer.on('disconnect', () => {
      this.#isClosed = true
      for (const { reject } of this.#questions.values()) reject(new Error('the other process is gone'))
      this.#questions.clear()
    })
  }

  /** True when the other process has ended. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Calls a function of the other process; rejects when that process ends or the function fails. */
  ask<Name extends keyof Theirs & string>(
    name: Name,
    value?: Value<Theirs[Name]>,
  ): Promise<Answer<Theirs[Name]>> {
    if (this.#isClosed) return Promise.reject(new Error('the other process is gone'))
    const question = Promise.withResolvers<unknown>()
    this.#lastId += 1
    this.#questions.set(this.#lastId, question)
    this.#send({ type: 'call', name, value, id: this.#lastId })
    return question.promise as Promise<Answer<Theirs[Name]>>
  }

  /** Calls without an answer. A socket goes along and also stays open here. */
  tell<Name extends keyof Theirs & string>(
    name: Name,
    value?: Value<Theirs[Name]>,
    socket?: ClientSocket,
  ): void {
    this.#send({ type: 'call', name, value }, socket)
  }

  #send(message: Message, socket?: ClientSocket): void {
    // Without the callback, `send` would throw after the other process has ended.
    this.#peer.send?.(message, socket, { keepOpen: true }, () => undefined)
  }

  #receive(message: Message, socket: ClientSocket | undefined): void {
    if (message.type === 'call') {
      void this.#call(message, socket)
      return
    }
    const question = this.#questions.get(message.id)
    this.#questions.delete(message.id)
    if (message.failed) question?.reject(new Error('the other process failed to answer'))
    else question?.resolve(message.value)
  }

  async #call({ name, value, id }: Extract<Message, { type: 'call' }>, socket?: ClientSocket): Promise<void> {
    try {
      const call = this.#own[name]
      // A worker that still starts has no functions yet. An empty answer would look like a real one.
      if (call === undefined) throw new Error(`nobody answers ${name}`)
      const answer = await call(value as never, socket)
      if (id !== undefined) this.#send({ type: 'answer', id, value: answer })
    } catch {
      if (id !== undefined) this.#send({ type: 'answer', id, failed: true })
    }
  }
}

/** A worker's channel to its supervisor. */
export type SupervisorChannel = Channel<WorkerCalls, SupervisorCalls>

/** The supervisor's channel to a worker. */
export type WorkerChannel = Channel<SupervisorCalls, WorkerCalls>
