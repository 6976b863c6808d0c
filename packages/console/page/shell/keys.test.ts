import { expect, test } from 'vitest'
import { actionOf, type Press } from './keys.ts'

const press: Press = {
  key: '',
  hasCommand: false,
  hasAlt: false,
  isTyping: false,
  isDialogOpen: false,
  isOff: false,
}

test('keys have their actions', () => {
  expect(actionOf({ ...press, key: '/' })).toBe('search')
  expect(actionOf({ ...press, key: '?' })).toBe('keys')
  expect(actionOf({ ...press, key: 'Enter', hasCommand: true })).toBe('send')
  expect(actionOf({ ...press, key: 'Enter' })).toBeUndefined()
})

test('single keys do nothing in a field, or where they are switched off; Ctrl+Enter works there', () => {
  for (const where of [{ isTyping: true }, { isOff: true }]) {
    expect(actionOf({ ...press, ...where, key: '/' })).toBeUndefined()
    expect(actionOf({ ...press, ...where, key: '?' })).toBeUndefined()
    expect(actionOf({ ...press, ...where, key: 'Enter', hasCommand: true })).toBe('send')
  }
})

test('keys of the browser and of an open dialog are left alone', () => {
  expect(actionOf({ ...press, key: '/', hasCommand: true })).toBeUndefined()
  expect(actionOf({ ...press, key: '?', hasAlt: true })).toBeUndefined()
  expect(actionOf({ ...press, key: 'Enter', hasCommand: true, isDialogOpen: true })).toBeUndefined()
})
