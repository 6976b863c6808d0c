import type { Outcome } from '@agentic-rest/profile'
import { describe, expect, test } from 'vitest'
import {
  alice,
  bob,
  call,
  type Json,
  messagesOf,
  modern,
  type ScriptedGateway,
  scriptedGateway,
} from './scripted-gateway.ts'

const given = { campaignId: 'c1', goal: 'ctr' }
const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const createdAt = '2026-11-16T00:00:00.000Z'

/** A service that accepts work and whose status a test changes. */
function accepting(initial: Json = { status: 'working', progress: 'half' }) {
  const operation = { ...initial }
  const gateway = scriptedGateway({
    answer({ path, method }): Outcome {
      if (path === '/operations/op-1/status') {
        return {
          type: 'success',
          body: { operationId: 'op-1', createdAt, updatedAt: createdAt, ...operation },
        }
      }
      if (method === 'POST' && path === '/operations/op-1/cancel') {
        operation.status = 'cancelled'
        return { type: 'success', body: {} }
      }
      return { type: 'accepted', operationId: 'op-1', statusUrl: '/operations/op-1/status' }
    },
  })
  return { gateway, operation }
}

async function task(
  gateway: ScriptedGateway,
  method: string,
  taskId: string,
  more: Json = {},
): Promise<Json> {
  const answer = await modern(gateway, method, { taskId, ...more.params }, { capabilities: tasks, ...more })
  return { status: answer.status, ...(await messagesOf(answer)).at(-1) }
}

describe('an accepted operation is a task', () => {
  test('without content, and asked for by Prefer', async () => {
    const { gateway } = accepting()
    const { result } = await call(gateway, given, { capabilities: tasks })
    expect(result).toEqual({
      resultType: 'task',
      taskId: expect.stringMatching(/^v1\./),
      status: 'working',
      createdAt,
      lastUpdatedAt: createdAt,
      ttlMs: 2_592_000_000,
      pollIntervalMs: 1000,
      _meta: expect.anything(),
    })
    expect(gateway.sent[0]?.headers['Prefer']).toBe('respond-async')
  })

  test('that shows how far it is', async () => {
    const { gateway } = accepting()
    const { result: created } = await call(gateway, given, { capabilities: tasks })
    const { result } = await task(gateway, 'tasks/get', created.taskId)
    expect(result).toMatchObject({
      resultType: 'complete',
      status: 'working',
      statusMessage: 'half',
      taskId: created.taskId,
    })
  })

  test.each([
    ['completed', { outcome: 'created', result: { id: 'o1' } }, { structuredContent: { id: 'o1' } }],
    [
      'failed',
      { outcome: 'conflict', result: { type: 'conflict', code: 'X' } },
      { isError: true, structuredContent: { code: 'X' } },
    ],
    [
      'input_required',
      { outcome: 'approval_required', result: { type: 'approval_required', approvalToken: 'secret' } },
      { isError: true, structuredContent: { type: 'approval_required' } },
    ],
  ])('that is %s is completed, with the mapped result', async (status, end, expected) => {
    const { gateway, operation } = accepting()
    const { result: created } = await call(gateway, given, { capabilities: tasks })
    Object.assign(operation, { status, ...end })
    const { result } = await task(gateway, 'tasks/get', created.taskId)
    expect(result).toMatchObject({ status: 'completed', result: expected })
    expect(JSON.stringify(result)).not.toContain('secret')
  })

  test('that can be cancelled', async () => {
    const { gateway } = accepting()
    const { result: created } = await call(gateway, given, { capabilities: tasks })
    const { result } = await task(gateway, 'tasks/cancel', created.taskId)
    expect(result).toEqual({ resultType: 'complete', _meta: expect.anything() })
    expect((await task(gateway, 'tasks/get', created.taskId)).result.status).toBe('cancelled')
    expect((await task(gateway, 'tasks/update', created.taskId)).result.resultType).toBe('complete')
  })

  test('whose status is at another path is not posted to when it is cancelled', async () => {
    const gateway = scriptedGateway({
      answer: () => ({ type: 'accepted', operationId: 'op-1', statusUrl: '/work/op-1' }),
    })
    const { result: created } = await call(gateway, given, { capabilities: tasks })
    expect((await task(gateway, 'tasks/cancel', created.taskId)).result.resultType).toBe('complete')
    expect(gateway.sent).toHaveLength(1)
  })

  test('of one caller only: for others it is unknown, like a changed id', async () => {
    const { gateway } = accepting()
    const { result } = await call(gateway, given, { capabilities: tasks })
    const { taskId } = result
    const changed = `${taskId.slice(0, -1)}${taskId.endsWith('A') ? 'B' : 'A'}`
    const before = gateway.sent.length
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const unknown = { code: -32602, message: 'Unknown task' }
      expect((await task(gateway, method, taskId, { caller: bob })).error).toEqual(unknown)
      expect((await task(gateway, method, taskId, { caller: { ...alice, tenant: 'globex' } })).error).toEqual(
        unknown,
      )
      expect((await task(gateway, method, changed)).error).toEqual(unknown)
    }
    expect(gateway.sent.length).toBe(before)
  })

  test('for clients that declare tasks only', async () => {
    const { gateway } = accepting()
    const { status, error } = await task(gateway, 'tasks/get', 'x', { capabilities: {} })
    expect(status).toBe(400)
    expect(error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    })
  })
})

describe('an accepted operation without tasks', () => {
  test('is waited for, and its end is the result', async () => {
    const { gateway, operation } = accepting()
    const held = call(gateway, given)
    await gateway.clock.advance(2000)
    Object.assign(operation, { status: 'completed', outcome: 'success', result: { done: true } })
    await gateway.clock.advance(1000)
    expect((await held).result).toMatchObject({ resultType: 'complete', structuredContent: { done: true } })
    expect(gateway.sent[0]?.headers).not.toHaveProperty('Prefer')
  })

  test('that takes longer is a result with a handle, which a tool takes', async () => {
    const { gateway, operation } = accepting()
    const held = call(gateway, given)
    await gateway.clock.advance(26_000)
    const { result } = await held
    expect(result.isError).toBeUndefined()
    expect(result.structuredContent).toMatchObject({ type: 'operation_accepted', operationId: 'op-1' })
    const { operationHandle } = result.structuredContent
    const show = async (handle: unknown) => {
      const params = { name: 'get-operation', arguments: { operationHandle: handle } }
      return (await messagesOf(await modern(gateway, 'tools/call', params)))[0]
    }
    expect((await show(operationHandle)).result.structuredContent).toMatchObject({
      status: 'working',
      operationHandle,
    })
    Object.assign(operation, {
      status: 'failed',
      outcome: 'conflict',
      result: { type: 'conflict', code: 'X' },
    })
    expect((await show(operationHandle)).result).toMatchObject({
      isError: true,
      structuredContent: { code: 'X' },
    })
    expect((await show('other')).error).toEqual({ code: -32602, message: 'Unknown operationHandle' })
    expect((await show(1)).error).toEqual({ code: -32602, message: 'Unknown operationHandle' })
    const list = (await messagesOf(await modern(gateway, 'tools/list', {})))[0]
    expect(list.result.tools.map(({ name }: Json) => name)).toEqual(['create-optimization', 'get-operation'])
  })

  test('elsewhere is not followed', async () => {
    const gateway = scriptedGateway({
      answer: () => ({ type: 'accepted', operationId: 'op-1', statusUrl: 'https://evil.example.com/status' }),
    })
    const { result } = await call(gateway, given)
    expect(result.structuredContent).toMatchObject({ statusUrl: 'https://evil.example.com/status' })
    expect(gateway.sent).toHaveLength(1)
  })
})
