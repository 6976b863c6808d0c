import { randomBytes } from 'node:crypto'
import type { Endpoint, RelayedMessage } from '@agentic-rest/mcp'

/** The parts of MCP that outlive a configuration. */
export interface McpWorld {
  readonly links: McpLinks
  /** Seals state without configured secrets. */
  readonly secret: string
  /** The port of the main listener; 0 until it is known. */
  readonly port: () => number
}

/** Makes these parts for a gateway. */
export function createMcpWorld(port: () => number): McpWorld {
  return { links: new McpLinks(), secret: randomBytes(32).toString('base64url'), port }
}

/**
 * The endpoints of this process and the way to other processes. A reload makes a new endpoint, while calls of the former
 * one may still wait for an answer of their client, which can arrive at any endpoint.
 */
export class McpLinks {
  readonly #process = randomBytes(6).toString('hex')
  readonly #endpoints = new Set<Endpoint>()
  #lastInstance = 0
  #send: ((message: RelayedMessage) => void) | undefined

  /** Makes the name of an endpoint, which the ids of its questions begin with. */
  nextInstance(): string {
    this.#lastInstance += 1
    return `g${this.#process}-${this.#lastInstance}`
  }

  /** Sets the way to the other processes. */
  connect(send: (message: RelayedMessage) => void): void {
    this.#send = send
  }

  join(endpoint: Endpoint): void {
    this.#endpoints.add(endpoint)
  }

  leave(endpoint: Endpoint): void {
    this.#endpoints.delete(endpoint)
  }

  /** Passes on a message of an endpoint of this process. */
  relay(message: RelayedMessage): void {
    this.receive(message)
    this.#send?.(message)
  }

  /** Takes a message of another process. */
  receive(message: RelayedMessage): void {
    for (const endpoint of this.#endpoints) endpoint.receive(message)
  }

  /** Tells listening clients that the list of tools has changed. */
  toolsChanged(): void {
    for (const endpoint of this.#endpoints) endpoint.toolsChanged()
  }

  /** How many questions to clients wait for an answer. */
  get pendingElicitations(): number {
    return [...this.#endpoints].reduce((sum, { pendingElicitations }) => sum + pendingElicitations, 0)
  }
}
