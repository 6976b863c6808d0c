import { describe, expect, test } from 'vitest'
import { readStatus, storedOutcome } from './operation-status.ts'

const trace = { correlationId: 'c', requestId: 'r' }
const answer = { status: 200, headers: new Headers(), trace, profile: 'v0.3' }
const status = {
  operationId: 'op-1',
  status: 'completed',
  statusUrl: '/operations/op-1/status',
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
}

function faultsOf(body: unknown): string[] {
  try {
    readStatus(body, answer)
    return []
  } catch (error) {
    expect(error).toMatchObject({ name: 'ProfileViolationError', code: 'PROFILE_VIOLATION' })
    return (error as { violations: { pointer: string }[] }).violations.map(({ pointer }) => pointer)
  }
}

describe('a status', () => {
  test.each([
    [status, []],
    [{ ...status, status: 'working', progress: 3, more: true }, []],
    [{ ...status, status: 'done' }, ['/status']],
    [{ ...status, status: 'constructor' }, ['/status']],
    [{ ...status, outcome: 'toString' }, ['/outcome']],
    [{ ...status, outcome: ['success'] }, ['/outcome']],
    [{}, ['/operationId', '/status', '/statusUrl', '/createdAt', '/updatedAt']],
    [null, ['/operationId', '/status', '/statusUrl', '/createdAt', '/updatedAt']],
    ['working', ['/operationId', '/status', '/statusUrl', '/createdAt', '/updatedAt']],
    [[status], ['/operationId', '/status', '/statusUrl', '/createdAt', '/updatedAt']],
  ])('%j has faults at %j', (body, faults) => {
    expect(faultsOf(body)).toEqual(faults)
  })
})

describe('the outcome of an operation', () => {
  const stored = (outcome: string | undefined, result: unknown) =>
    storedOutcome(
      { ...status, ...(outcome && { outcome }), result } as Parameters<typeof storedOutcome>[0],
      answer,
    )

  test('is that of its result, with the ids of its trace', () => {
    const own = { correlationId: 'c', requestId: 'first' }
    const outcome = stored('conflict', { type: 'conflict', code: 'BUSY', message: 'Busy.', trace: own })
    expect(outcome).toEqual({ type: 'conflict', code: 'BUSY', message: 'Busy.' })
    expect(outcome.answer.trace).toEqual(own)
  })

  test('may lack a trace and a body', () => {
    expect(stored('forbidden', { type: 'forbidden', code: 'NO', message: 'No.' }).answer.trace).toEqual(trace)
    expect(stored('success', undefined)).toEqual({ type: 'success', body: null })
    expect(stored('success', [1])).toEqual({ type: 'success', body: [1] })
  })

  test.each([
    [undefined, {}, 'it ended without an outcome'],
    ['forbidden', {}, '/type is required; /code is required; /message is required'],
    [
      'forbidden',
      { type: 'error', code: 'NO', message: 'No.' },
      '/type must be "forbidden" with this status',
    ],
    ['error', null, '/type is required; /code is required; /message is required'],
    ['error', 'text', 'must be an object'],
  ])('%s with %j is a violation', (outcome, result, message) => {
    expect(() => stored(outcome, result)).toThrow(message)
  })

  test('nested deeper than the stack is a violation', () => {
    const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)
    expect(() => stored('success', deep)).toThrow('the result cannot be read')
  })
})
