import { randomBytes } from 'node:crypto'
import type { Endpoint, RelayedMessage } from '@agentic-rest/mcp'
import { EVERYONE, type Relay } from './redis-relay.ts'

/** The parts of MCP that outlive a configuration. */
export interface McpWorld {
  readonly links: McpLinks
  /** Seals state without configured secrets. */
  readonly secret: string
  /** The port of the main listener; 0 until it is known. */
  readonly port: () => number
}

/** Makes the way of a process to other gateways. */
export type OpenRelay = (own: { readonly name: string; receive(text: string): void }) => Relay

/** Makes these parts for a gateway. Without a relay there are no other gateways. */
export function createMcpWorld(port: () => number, openRelay?: OpenRelay | undefined): McpWorld {
  return { links: new McpLinks(openRelay), secret: randomBytes(32).toString('base64url'), port }
}

/** Opens a message that came by way of other gateways; undefined for any other text. */
export type OpenMessage = (text: string) => RelayedMessage | undefined

/**
 * The endpoints of this process and the way to other processes. A reload makes a new endpoint, while calls of the former
 * one may still wait for an answer of their client, which can arrive at any endpoint.
 */
export class McpLinks {
  readonly #process = `g${randomBytes(6).toString('hex')}`
  readonly #endpoints = new Map<Endpoint, OpenMessage>()
  readonly #gateways: Relay | undefined
  #lastInstance = 0
  #toWorkers: ((message: RelayedMessage) => void) | undefined

  constructor(openRelay?: OpenRelay | undefined) {
    this.#gateways = openRelay?.({ name: this.#process, receive: (text) => this.#receiveSealed(text) })
  }

  /** Connects to other gateways, if there are any; resolves after the first attempt. */
  async open(): Promise<void> {
    await this.#gateways?.open()
  }

  /** Whether other gateways are out of reach. */
  get isAlone(): boolean {
    return this.#gateways?.isAlone ?? false
  }

  /** Makes the name of an endpoint, which the ids of its questions begin with. */
  nextInstance(): string {
    this.#lastInstance += 1
    return `${this.#process}-${this.#lastInstance}`
  }

  /** Sets the way to the other workers. */
  connect(send: (message: RelayedMessage) => void): void {
    this.#toWorkers = send
  }

  join(endpoint: Endpoint, open: OpenMessage): void {
    this.#endpoints.set(endpoint, open)
  }

  leave(endpoint: Endpoint): void {
    this.#endpoints.delete(endpoint)
  }

  /** Passes on a message of an endpoint of this process. Other gateways get it sealed. */
  relay(message: RelayedMessage, seal: () => string): void {
    this.receive(message)
    const addressee = addresseeOf(message)
    if (addressee === undefined || addressee === this.#process) return
    this.#toWorkers?.(message)
    this.#gateways?.publish(addressee, seal)
  }

  /** Takes a message of another worker. */
  receive(message: RelayedMessage): void {
    for (const endpoint of this.#endpoints.keys()) endpoint.receive(message)
  }

  /** Only endpoints with the same secrets can open the text. */
  #receiveSealed(text: string): void {
    for (const [endpoint, open] of this.#endpoints) {
      const message = open(text)
      if (message !== undefined) endpoint.receive(message)
    }
  }

  /** Tells listening clients that the list of tools has changed. */
  toolsChanged(): void {
    for (const endpoint of this.#endpoints.keys()) endpoint.toolsChanged()
  }

  /** Ends the streams of clients that wait for changes of the list, so that a drain does not wait for them. */
  endSubscriptions(): void {
    for (const endpoint of this.#endpoints.keys()) endpoint.close()
  }

  /** How many questions to clients wait for an answer. */
  get pendingElicitations(): number {
    return [...this.#endpoints.keys()].reduce((sum, { pendingElicitations }) => sum + pendingElicitations, 0)
  }

  async close(): Promise<void> {
    await this.#gateways?.close()
  }
}

const QUESTION_ID = /^(g[0-9a-f]{12})-\d{1,9}\.[0-9a-f-]{36}$/

/** The process that a message is for; undefined if no process can have asked the question. */
function addresseeOf(message: RelayedMessage): string | undefined {
  // The id of a call does not name its process.
  return message.type === 'cancelled' ? EVERYONE : QUESTION_ID.exec(message.id)?.[1]
}
