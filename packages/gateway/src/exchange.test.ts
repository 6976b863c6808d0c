import { expect, test } from 'vitest'
import { Cancellation } from './exchange.ts'

test('a signal calls each listener once, and the first reason stays', () => {
  const signal = new Cancellation()
  const heard: string[] = []
  const left = () => heard.push('left')
  signal.addEventListener('abort', () => heard.push('first'))
  signal.addEventListener('abort', left)
  signal.addEventListener('abort', () => heard.push('second'))
  signal.removeEventListener('abort', left)
  expect(signal.aborted).toBe(false)
  signal.throwIfAborted()
  signal.cancel('timeout')
  signal.cancel('client_disconnect')
  expect(heard).toEqual(['first', 'second'])
  expect(signal.reason).toBe('timeout')
  expect(signal.aborted).toBe(true)
})

test('an aborted signal throws its reason', () => {
  const signal = new Cancellation()
  signal.cancel('shutdown')
  expect(() => signal.throwIfAborted()).toThrow('shutdown')
})

test('a listener that removes another one during the cancellation does not stop it', () => {
  const signal = new Cancellation()
  const heard: string[] = []
  const last = () => heard.push('last')
  signal.addEventListener('abort', () => signal.removeEventListener('abort', last))
  signal.addEventListener('abort', last)
  signal.cancel('timeout')
  expect(heard).toEqual(['last'])
})
