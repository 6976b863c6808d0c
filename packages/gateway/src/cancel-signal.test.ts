import { expect, test } from 'vitest'
import { createCancellation } from './cancel-signal.ts'

test('a signal tells each listener once, and the first reason stays', () => {
  const { signal, cancel } = createCancellation()
  const heard: string[] = []
  const left = () => heard.push('left')
  signal.addEventListener('abort', () => heard.push('first'))
  signal.addEventListener('abort', left)
  signal.addEventListener('abort', () => heard.push('second'))
  signal.removeEventListener('abort', left)
  expect(signal.aborted).toBe(false)
  signal.throwIfAborted()
  cancel('timeout')
  cancel('client_disconnect')
  expect(heard).toEqual(['first', 'second'])
  expect(signal.reason).toBe('timeout')
  expect(signal.aborted).toBe(true)
})

test('an aborted signal throws its reason', () => {
  const { signal, cancel } = createCancellation()
  cancel('shutdown')
  expect(() => signal.throwIfAborted()).toThrow('shutdown')
})

test('a listener that takes another away while it is told leaves the rest to be told', () => {
  const { signal, cancel } = createCancellation()
  const heard: string[] = []
  const last = () => heard.push('last')
  signal.addEventListener('abort', () => signal.removeEventListener('abort', last))
  signal.addEventListener('abort', last)
  cancel('timeout')
  expect(heard).toEqual(['last'])
})
