/** A JSON value that a test looks into. */
// biome-ignore lint/suspicious/noExplicitAny: bodies are compared as a whole or by a path that the test knows.
export type Json = any

/** A connected client of one of the official packages. */
export interface OfficialClient {
  readonly version: string | undefined
  listTools(): Promise<Json>
  callTool(params: Json): Promise<Json>
  /** Calls a tool, and collects the messages of its progress. */
  callWithProgress(params: Json): Promise<{ readonly result: Json; readonly messages: readonly string[] }>
  close(): Promise<void>
}

/** The questions that a client was asked, and its answers. */
export interface Person {
  readonly asked: Json[]
  answer(params: Json): Json
  /** The token of the client's requests. */
  readonly token?: string
  /** The tenant that the requests name. */
  readonly tenant?: string
}

interface ClientModule {
  readonly Client: new (info: Json, options: Json) => Json
}

/** Loads a package without its types, which clash with `exactOptionalPropertyTypes`. */
export async function load(specifier: string): Promise<Json> {
  return import(specifier)
}

/** The ways of the official clients to speak to a server. */
export const clientKinds = ['client 2.4.0, auto', 'client 2.4.0, legacy', 'sdk 1.32.2'] as const

/** One of the ways. */
export type ClientKind = (typeof clientKinds)[number]

const info = { name: 'official', version: '1.0.0' }

/** Connects a client. Without a person it declares no elicitation. */
export async function connectClient(kind: ClientKind, url: string, person?: Person): Promise<OfficialClient> {
  const capabilities = person === undefined ? {} : { elicitation: { form: {}, url: {} } }
  const client = await makeClient(kind, capabilities)
  if (person !== undefined) await answerWith(kind, client, person)
  const transport = await makeTransport(kind, url, person)
  return connected(client, transport)
}

/** Connects a client to a program of lines. */
export async function connectByLines(
  kind: ClientKind,
  program: Json,
  person: Person,
): Promise<OfficialClient> {
  const client = await makeClient(kind, { elicitation: { form: {}, url: {} } })
  await answerWith(kind, client, person)
  const isOld = kind === 'sdk 1.32.2'
  const specifier = isOld ? '@modelcontextprotocol/sdk/client/stdio.js' : '@modelcontextprotocol/client/stdio'
  const { StdioClientTransport: Transport } = await load(specifier)
  return connected(client, new Transport(program))
}

async function connected(client: Json, transport: Json): Promise<OfficialClient> {
  await client.connect(transport)
  return {
    version: client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion,
    listTools: () => client.listTools(),
    callTool: (params) => client.callTool(params),
    async callWithProgress(params) {
      const messages: string[] = []
      const options = { onprogress: ({ message }: Json) => void messages.push(message) }
      // The older client has the schema of the result in between.
      const args = client.callTool.length === 1 ? [params, undefined, options] : [params, options]
      return { result: await client.callTool(...args), messages }
    },
    close: () => client.close(),
  }
}

async function makeClient(kind: ClientKind, capabilities: Json): Promise<Json> {
  const isOld = kind === 'sdk 1.32.2'
  const module: ClientModule = await load(
    isOld ? '@modelcontextprotocol/sdk/client/index.js' : '@modelcontextprotocol/client',
  )
  const mode = kind === 'client 2.4.0, auto' ? 'auto' : 'legacy'
  return new module.Client(info, { capabilities, ...(!isOld && { versionNegotiation: { mode } }) })
}

async function makeTransport(
  kind: ClientKind,
  url: string,
  { token, tenant }: Pick<Person, 'token' | 'tenant'> = {},
): Promise<Json> {
  const isOld = kind === 'sdk 1.32.2'
  const specifier = isOld
    ? '@modelcontextprotocol/sdk/client/streamableHttp.js'
    : '@modelcontextprotocol/client'
  const { StreamableHTTPClientTransport: Transport } = await load(specifier)
  const headers = {
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(tenant !== undefined && { 'X-Tenant-ID': tenant }),
  }
  return new Transport(new URL(url), { requestInit: { headers } })
}

async function answerWith(kind: ClientKind, client: Json, person: Person): Promise<void> {
  const handler = async ({ params }: Json) => {
    person.asked.push(params)
    return person.answer(params)
  }
  if (kind !== 'sdk 1.32.2') return client.setRequestHandler('elicitation/create', handler)
  const { ElicitRequestSchema } = await load('@modelcontextprotocol/sdk/types.js')
  return client.setRequestHandler(ElicitRequestSchema, handler)
}
