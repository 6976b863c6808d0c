import { AsyncLocalStorage } from 'node:async_hooks'
import { conflict, createService, defineOperation, parseOwnJson, success } from '@agentic-rest/service'
import { auditFromEnvironment, serve, trustFromEnvironment } from '@agentic-rest/service/node'

// An upstream for the scenario of `agentic conformance`: it shows what reaches it, and it breaks the profile on purpose.
// The gateway admits only the role `conformance:probe` to it.

type Body = Readonly<Record<string, unknown>>

/** State shared by a request and its operation. */
interface Exchange {
  readonly received: Readonly<Record<string, string>>
  /** Breaks the body of the answer. Refusals stay as they are. */
  spoil?: (body: Body) => Body
}

const exchanges = new AsyncLocalStorage<Exchange>()

const echo = defineOperation({
  id: 'probe-echo',
  method: 'GET',
  path: '/probe/echo',
  summary: 'Answers with the headers of the request.',
  outcomes: ['success'],
  run: () => success({ headers: exchanges.getStore()?.received }),
})

const traceless = defineOperation({
  id: 'probe-traceless',
  method: 'GET',
  path: '/probe/traceless',
  summary: 'Answers without a trace.',
  outcomes: ['conflict'],
  run: () => faulty(({ trace: _, ...rest }) => rest),
})

const mismatched = defineOperation({
  id: 'probe-mismatched',
  method: 'GET',
  path: '/probe/mismatched',
  summary: 'Answers with the trace of another request.',
  outcomes: ['conflict'],
  run: () => faulty((body) => ({ ...body, trace: { correlationId: 'of-another', requestId: 'of-another' } })),
})

function faulty(spoil: NonNullable<Exchange['spoil']>) {
  const exchange = exchanges.getStore()
  if (exchange !== undefined) exchange.spoil = spoil
  return conflict({ code: 'PROBE', message: 'This body does not keep the profile.' })
}

const audit = auditFromEnvironment()
const service = createService({
  ...trustFromEnvironment(),
  operations: [echo, traceless, mismatched],
  title: 'Probe',
  audit,
})

async function answer(request: Request): Promise<Response> {
  const exchange: Exchange = { received: Object.fromEntries(request.headers) }
  const right = await exchanges.run(exchange, () => service.fetch(request))
  if (exchange.spoil === undefined) return right
  const body = exchange.spoil(parseOwnJson(await right.text()) as Body)
  const headers = new Headers(right.headers)
  headers.delete('Content-Length')
  return new Response(JSON.stringify(body), { status: right.status, headers })
}

const { PORT = 8086 } = process.env
await serve({ fetch: answer, port: PORT, closes: [service, audit] })
