import type { McpAnswer, RelayedMessage } from '@agentic-rest/mcp'
import type { Outcome, RequiredInput } from '@agentic-rest/profile'
import { describe, expect, test } from 'vitest'
import {
  alice,
  approvalAnswer,
  bob,
  type Json,
  messagesOf,
  type PostOptions,
  post,
  type ScriptedGateway,
  type ScriptedOptions,
  scriptedGateway,
} from './scripted-gateway.ts'

const goal: RequiredInput = {
  name: 'goal',
  location: 'body',
  type: 'string',
  required: true,
  question: 'Which goal?',
}
const clarify: Outcome = { type: 'clarification_required', message: 'More, please.', requiredInputs: [goal] }
const asking = (options: Partial<ScriptedOptions> = {}) =>
  scriptedGateway({
    answer: ({ body }) => (body?.includes('goal') ? { type: 'success', body: JSON.parse(body) } : clarify),
    ...options,
  })

async function initialize(
  gateway: ScriptedGateway,
  version = '2025-11-25',
  elicitation: Json = { form: {}, url: {} },
) {
  const params = {
    protocolVersion: version,
    capabilities: { elicitation },
    clientInfo: { name: 'old', version: '1' },
  }
  const answer = await post(gateway, { jsonrpc: '2.0', id: 0, method: 'initialize', params })
  const [message] = await messagesOf(answer)
  return { answer, message, session: answer.headers['Mcp-Session-Id'] ?? '' }
}

const callBody = (id: number | string = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'create-optimization', arguments: { campaignId: 'c1' } },
})
const withSession = (session: string, more: PostOptions = {}): PostOptions => ({
  ...more,
  headers: { 'mcp-session-id': session, ...more.headers },
})

/** The messages of a stream, one by one. */
function reader({ body }: McpAnswer) {
  if (typeof body !== 'object') throw new Error('the answer is no stream')
  const next = async (): Promise<Json> => {
    const { value } = await body.next()
    const data = /^data: (.*)$/m.exec(value ?? '')?.[1]
    return data === undefined ? next() : JSON.parse(data)
  }
  return { next, close: () => body.return() }
}

const respond = (
  gateway: ScriptedGateway,
  session: string,
  id: string,
  result: Json,
  more: PostOptions = {},
) => post(gateway, { jsonrpc: '2.0', id, result }, withSession(session, more))

describe('the handshake of 2025', () => {
  test.each(['2025-11-25', '2025-06-18', '2025-03-26'])(
    'answers %s with the same version',
    async (version) => {
      const { message, session } = await initialize(asking(), version)
      expect(message).toEqual({
        jsonrpc: '2.0',
        id: 0,
        result: {
          protocolVersion: version,
          capabilities: { tools: {} },
          serverInfo: { name: 'acme-agents', version: '1.0.0', title: 'Agents of Acme' },
        },
      })
      expect(session).toMatch(/^v1\.[\x21-\x7e]+$/)
    },
  )

  test('answers an unknown version with the newest', async () => {
    expect((await initialize(asking(), '2024-11-05')).message.result.protocolVersion).toBe('2025-11-25')
  })

  test('lists tools for a session, for another process and without a session', async () => {
    const one = asking()
    const { session } = await initialize(one)
    const two = asking({ clock: one.clock, instance: 'w2' })
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    for (const options of [withSession(session), {}]) {
      const [message] = await messagesOf(await post(two, list, options))
      expect(message.result.tools[0].name).toBe('create-optimization')
      expect(message.result).not.toHaveProperty('resultType')
    }
  })

  test('refuses a session of another caller, a changed one and one after eight hours with 404', async () => {
    const gateway = asking()
    const { session } = await initialize(gateway)
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    expect((await post(gateway, ping, withSession(session))).status).toBe(200)
    expect((await post(gateway, ping, withSession(session, { caller: bob }))).status).toBe(404)
    expect((await post(gateway, ping, withSession(`${session}x`))).status).toBe(404)
    await gateway.clock.advance(8 * 3_600_000)
    expect((await post(gateway, ping, withSession(session))).status).toBe(404)
  })

  test('keeps nothing for ten thousand sessions', async () => {
    const gateway = asking()
    const sessions = new Set<string>()
    for (let count = 0; count < 10_000; count += 1) sessions.add((await initialize(gateway)).session)
    expect(sessions.size).toBe(10_000)
    expect(gateway.endpoint.pendingElicitations).toBe(0)
  })
})

describe('a clarification of 2025', () => {
  test('is asked on the stream of the call, and the answer comes by another request', async () => {
    const gateway = asking()
    const { session } = await initialize(gateway)
    const stream = reader(await post(gateway, callBody(), withSession(session)))
    const question = await stream.next()
    expect(question).toEqual({
      jsonrpc: '2.0',
      id: expect.stringMatching(/^w1\./),
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: 'The operation needs more input: goal.',
        requestedSchema: {
          type: 'object',
          required: ['goal'],
          properties: { goal: { type: 'string', title: 'goal', description: 'Which goal?' } },
        },
      },
    })
    expect(gateway.endpoint.pendingElicitations).toBe(1)
    const accepted = await respond(gateway, session, question.id, {
      action: 'accept',
      content: { goal: 'ctr' },
    })
    expect([accepted.status, accepted.body]).toEqual([202, undefined])
    const { result } = await stream.next()
    expect(result.structuredContent).toMatchObject({ goal: 'ctr' })
    expect(gateway.endpoint.pendingElicitations).toBe(0)
    // The second answer to the same question is dropped.
    expect((await respond(gateway, session, question.id, { action: 'decline' })).status).toBe(202)
    expect(gateway.sent).toHaveLength(2)
  })

  test('has no mode on 2025-06-18, and is an error on 2025-03-26 and without a session', async () => {
    const gateway = asking()
    const { session } = await initialize(gateway, '2025-06-18', {})
    const stream = reader(await post(gateway, callBody(), withSession(session)))
    expect((await stream.next()).params).not.toHaveProperty('mode')
    await stream.close()
    const { session: oldest } = await initialize(gateway, '2025-03-26', {})
    for (const options of [withSession(oldest), {}]) {
      const [message] = await messagesOf(await post(gateway, callBody(), options))
      expect(message.result).toMatchObject({
        isError: true,
        structuredContent: { type: 'clarification_required' },
      })
    }
  })

  test('cannot be answered by another session or caller', async () => {
    const gateway = asking()
    const { session } = await initialize(gateway)
    const { session: other } = await initialize(gateway)
    const stream = reader(await post(gateway, callBody(), withSession(session)))
    const { id } = await stream.next()
    const answer = { action: 'accept', content: { goal: 'stolen' } }
    expect((await respond(gateway, other, id, answer)).status).toBe(202)
    expect((await respond(gateway, session, id, answer, { caller: bob })).status).toBe(404)
    expect((await post(gateway, { jsonrpc: '2.0', id, result: answer })).status).toBe(202)
    expect(gateway.endpoint.pendingElicitations).toBe(1)
    await respond(gateway, session, id, { action: 'decline' })
    expect((await stream.next()).result._meta['org.agentic-rest/outcome'].answered).toBe('declined')
  })

  test('that nobody answers ends after ten minutes', async () => {
    const gateway = asking()
    const { session } = await initialize(gateway)
    const stream = reader(await post(gateway, callBody(), withSession(session)))
    await stream.next()
    const end = stream.next()
    await gateway.clock.advance(600_000)
    expect((await end).result).toMatchObject({
      isError: true,
      structuredContent: { type: 'clarification_required' },
    })
    expect(gateway.endpoint.pendingElicitations).toBe(0)
  })

  test('finds the process that waits', async () => {
    const processes = new Map<string, ScriptedGateway>()
    const relayed: RelayedMessage[] = []
    const one = asking({
      relay: (message) => {
        relayed.push(message)
        for (const each of processes.values()) each.endpoint.receive(message)
      },
    })
    const two = asking({ instance: 'w2', clock: one.clock })
    processes.set('w2', two)
    const { session } = await initialize(one)
    const stream = reader(await post(two, callBody(), withSession(session)))
    const { id } = await stream.next()
    expect(id).toMatch(/^w2\./)
    await respond(one, session, id, { action: 'accept', content: { goal: 'ctr' } })
    expect((await stream.next()).result.structuredContent).toMatchObject({ goal: 'ctr' })
    expect(relayed).toHaveLength(1)
  })

  test('with 100,000 levels counts as refused, here and in another process', async () => {
    const relayed: RelayedMessage[] = []
    const gateway = asking({ relay: (message) => void relayed.push(message) })
    const { session } = await initialize(gateway)
    const stream = reader(await post(gateway, callBody(), withSession(session)))
    const { id } = await stream.next()
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    const answer = { action: 'accept', content: { goal: deep } }
    await respond(gateway, session, 'w2.1', answer)
    expect(relayed).toEqual([{ type: 'response', id: 'w2.1', session, result: undefined }])
    await respond(gateway, session, id, answer)
    expect((await stream.next()).result).toMatchObject({ isError: true })
    expect(gateway.errors).toEqual([])
  })
})

describe('an approval of 2025', () => {
  function approving(options: Partial<ScriptedOptions> = {}) {
    const approval = { state: 'pending' }
    const gateway = scriptedGateway({
      answer(request) {
        if (request.path.startsWith('/approvals/'))
          return { type: 'success', body: { state: approval.state, role: 'finance' } }
        if (request.headers['X-Approval-Token'] === undefined) return approvalAnswer(request, 'secret-token')
        return { type: 'success', body: { paid: 500 } }
      },
      ...options,
    })
    return { gateway, approval }
  }

  test('is a link on the stream, shown once', async () => {
    const { gateway, approval } = approving()
    const { session } = await initialize(gateway)
    const stream = reader(await post(gateway, callBody(), withSession(session)))
    const question = await stream.next()
    expect(question.params).toEqual({
      mode: 'url',
      elicitationId: expect.stringMatching(/^[\w-]{36}$/),
      url: 'https://agents.example.com/approvals/apr-81',
      message: expect.stringMatching(/^Pay 500\? /),
    })
    await respond(gateway, session, question.id, { action: 'accept' })
    const end = stream.next()
    await gateway.clock.advance(60_000)
    approval.state = 'approved'
    await gateway.clock.advance(2000)
    expect((await end).result.structuredContent).toMatchObject({ paid: 500 })
  })

  test('is an error with the link on 2025-06-18', async () => {
    const { gateway } = approving()
    const { session } = await initialize(gateway, '2025-06-18')
    const [message] = await messagesOf(await post(gateway, callBody(), withSession(session)))
    expect(message.result).toMatchObject({
      isError: true,
      structuredContent: { approvalUrl: expect.any(String) },
    })
  })

  test('is the error -32042 without stored waits, and the next call finds the decision', async () => {
    const { gateway, approval } = approving({ legacy: 'stateless' })
    const { session } = await initialize(gateway)
    const [first] = await messagesOf(await post(gateway, callBody(), withSession(session)))
    expect(first.error).toEqual({
      code: -32042,
      message: 'An approval is required',
      data: {
        elicitations: [
          {
            mode: 'url',
            elicitationId: expect.any(String),
            url: 'https://agents.example.com/approvals/apr-81',
            message: expect.any(String),
          },
        ],
      },
    })
    approval.state = 'approved'
    const [second] = await messagesOf(await post(gateway, callBody(2), withSession(session)))
    expect(second.result.structuredContent).toMatchObject({ paid: 500 })
  })

  test('without stored waits a form is an error', async () => {
    const gateway = asking({ legacy: 'stateless' })
    const { session } = await initialize(gateway)
    const [message] = await messagesOf(await post(gateway, callBody(), withSession(session)))
    expect(message.result.isError).toBe(true)
  })
})

describe('a call of 2025', () => {
  test('has lists and numbers inside an object', async () => {
    for (const [body, expected] of [
      ['[1]', [1]],
      ['7', 7],
    ] as const) {
      const gateway = scriptedGateway({ answer: () => ({ status: 200, headers: {}, body }) })
      const [message] = await messagesOf(await post(gateway, callBody()))
      expect(message.result.structuredContent).toEqual({ result: expected })
      expect(message.result.content).toEqual([{ type: 'text', text: body }])
    }
  })

  test('is cancelled by a notification, here and in another process', async () => {
    let signal: AbortSignal | undefined
    const two = scriptedGateway({
      instance: 'w2',
      answer: (request) => {
        signal = request.signal
        return new Promise((resolve) => {
          request.signal.addEventListener('abort', () => resolve({ type: 'success', body: {} }))
        })
      },
    })
    const one = asking({ clock: two.clock, relay: (message) => two.endpoint.receive(message) })
    const { session } = await initialize(one)
    const pending = post(two, callBody('a'), withSession(session))
    const cancel = (requestId: unknown, more: PostOptions = {}) =>
      post(
        one,
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } },
        withSession(session, more),
      )
    expect((await cancel('b')).status).toBe(202)
    expect((await cancel('a', { caller: bob })).status).toBe(404)
    expect(signal?.aborted).toBe(false)
    expect((await cancel('a', { caller: alice })).status).toBe(202)
    expect(signal?.aborted).toBe(true)
    await pending
  })

  test('is cancelled when the client closes the stream', async () => {
    const gateway = asking()
    const { session } = await initialize(gateway)
    const stream = reader(await post(gateway, callBody(), withSession(session)))
    await stream.next()
    await stream.close()
    await gateway.clock.advance(0)
    expect(gateway.endpoint.pendingElicitations).toBe(0)
  })

  test('cannot ask a client that accepts JSON only', async () => {
    const gateway = asking()
    const { session } = await initialize(gateway)
    const answer = await post(
      gateway,
      callBody(),
      withSession(session, { headers: { accept: 'application/json' } }),
    )
    expect((await messagesOf(answer))[0].result.isError).toBe(true)
  })

  test('in a batch is answered on 2025-03-26 only', async () => {
    const gateway = scriptedGateway({ answer: () => ({ type: 'success', body: {} }) })
    const batch = [
      callBody(1),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'ping' },
    ]
    const [answers] = await messagesOf(await post(gateway, batch))
    expect(answers.map(({ id }: Json) => id)).toEqual([1, 2])
    const newer = await post(gateway, batch, { headers: { 'mcp-protocol-version': '2025-11-25' } })
    expect(newer.status).toBe(400)
    expect((await post(gateway, [])).status).toBe(400)
  })
})
