import { randomUUID } from 'node:crypto'

/** One request of an exchange. */
export interface Sent {
  readonly person: string
  readonly method?: string
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** The answer of the gateway. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

/** An exchange of people with the stack: all requests have one correlation id. */
export interface Exchange {
  readonly correlationId: string
  send(sent: Sent): Promise<Answered>
}

/** Sends requests of the stack's people. */
export class Traffic {
  readonly #adminUrl: string
  readonly #gatewayUrl: string
  readonly #tokens = new Map<string, Promise<string>>()

  constructor(adminUrl: string, gatewayUrl: string) {
    this.#adminUrl = adminUrl
    this.#gatewayUrl = gatewayUrl
  }

  /** Begins an exchange. */
  open(): Exchange {
    const correlationId = randomUUID()
    return { correlationId, send: (sent) => this.#send(sent, correlationId) }
  }

  async #send(
    { person, method = 'GET', path, body, headers = {} }: Sent,
    correlationId: string,
  ): Promise<Answered> {
    const answer = await fetch(new URL(path, this.#gatewayUrl), {
      method,
      headers: {
        authorization: `Bearer ${await this.#tokenOf(person)}`,
        'content-type': 'application/json',
        'x-correlation-id': correlationId,
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const value = (await answer.json()) as Answered['body']
    return { status: answer.status, headers: answer.headers, body: value }
  }

  #tokenOf(sub: string): Promise<string> {
    const known = this.#tokens.get(sub) ?? this.#askToken(sub)
    this.#tokens.set(sub, known)
    return known
  }

  async #askToken(sub: string): Promise<string> {
    const { people } = (await (await fetch(`${this.#adminUrl}/api/gateway`)).json()) as {
      people: { sub: string }[]
    }
    const answer = await fetch(`${this.#adminUrl}/api/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(people.find((each) => each.sub === sub)),
    })
    return ((await answer.json()) as { token: string }).token
  }
}

/** An exchange with an approval: its path, and the header for the repeated request. */
export interface ApprovalExchange extends Exchange {
  readonly approval: string
  readonly approved: Readonly<Record<string, string>>
}

/** A request that needs an approval. */
export async function askApproval(traffic: Traffic): Promise<ApprovalExchange> {
  const exchange = traffic.open()
  const { status, headers, body } = await exchange.send(optimize)
  if (status !== 412) throw new Error(`no approval is needed: ${status}`)
  const approved = { 'x-approval-token': String(body['approvalToken']) }
  return { ...exchange, approval: headers.get('location') ?? '', approved }
}

/** The request that needs an approval. */
export const optimize: Sent = {
  person: 'alice',
  method: 'POST',
  path: '/campaigns/cmp-enterprise/optimizations',
  body: { goal: 'ctr' },
}

/** Starts work in the background. Resolves with the exchange and the path of its status. */
export async function startWork(traffic: Traffic): Promise<Exchange & { statusUrl: string }> {
  const exchange = traffic.open()
  const answer = await exchange.send({
    person: 'carol',
    method: 'POST',
    path: '/campaigns/cmp-900/optimizations',
    body: { goal: 'ctr' },
    headers: { prefer: 'respond-async' },
  })
  if (answer.status !== 202) throw new Error(`it does not work in the background: ${answer.status}`)
  return { ...exchange, statusUrl: String(answer.body['statusUrl']) }
}

const MOST_POLLS = 400

/** Polls a status until the work has ended. Resolves with the number of polls. */
export async function pollToEnd({ send, statusUrl }: Exchange & { statusUrl: string }): Promise<number> {
  for (let polls = 1; polls <= MOST_POLLS; polls++) {
    const { body, headers } = await send({ person: 'carol', path: statusUrl })
    if (!headers.has('retry-after') && body['status'] !== undefined) return polls
    // Wait: each poll becomes a row of the console, so they come at a pace.
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  throw new Error('the work does not end')
}
