import { expect, test } from 'vitest'
import { jsonText, terminalLine } from './terminal-text.ts'

// Clears the screen, sets the title, a C1 control sequence, reorders, hides, returns the carriage.
const hostile = '\u001b[2J\u001b]0;x\u0007\u009b31m\u202eabc\u200b\r\u007f'

test('a line stays a line, and what could steer a terminal is shown as its code', () => {
  expect(terminalLine(`d${hostile}`)).toBe(
    'd\\u{1b}[2J\\u{1b}]0;x\\u{7}\\u{9b}31m\\u{202e}abc\\u{200b}\\u{d}\\u{7f}',
  )
  expect(terminalLine('a\r\nb\tc\n\nd')).toBe('a b c d')
})

test('JSON for a terminal is JSON of the same value', () => {
  const value = { [hostile]: [hostile, '🙂', '\ue000', '\u{e0001}', '\ud800', '\u2028'], n: 1, none: null }
  const text = jsonText(value)
  expect(JSON.parse(text)).toEqual(value)
  expect(text).not.toMatch(/[^\n\P{C}]|\u2028/u)
  expect(jsonText(undefined)).toBe('null')
  expect(jsonText({ a: 1 }, 0)).toBe('{"a":1}')
})
