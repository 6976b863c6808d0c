import { describe, expect, it } from 'vitest'
import { email } from './email.ts'

/** The matches as text. */
const found = (text: string) => email.find(text, '').map(({ start, end }) => text.slice(start, end))

describe('the name before the sign', () => {
  it('is read back to the first character that is none of a name, or to the beginning', () => {
    expect(found('a.b@example.com')).toEqual(['a.b@example.com'])
    expect(found('to=a.b+c@example.com')).toEqual(['a.b+c@example.com'])
    expect(found('\u007fbob@example.com')).toEqual(['bob@example.com'])
    expect(found('«bob@example.com')).toEqual(['bob@example.com'])
  })

  it('may have letters of any script', () => {
    expect(found('用户@example.com')).toEqual(['用户@example.com'])
    expect(found('a 😀é@example.com')).toEqual(['😀é@example.com'])
  })

  it('does not begin with a quote or a dot', () => {
    expect(found("'.bob@example.com")).toEqual(['bob@example.com'])
    expect(found(".'@example.com")).toEqual([])
  })

  it('has to be there', () => {
    expect(found('@example.com')).toEqual([])
    expect(found(' @example.com bob@example.com')).toEqual(['bob@example.com'])
    expect(found('@a.co@b.co')).toEqual(['a.co@b.co'])
  })
})

describe('a quoted name', () => {
  it('is taken with its quotes', () => {
    expect(found('to "a b"@example.com')).toEqual(['"a b"@example.com'])
  })

  it('has at most 64 characters', () => {
    const [longest, longer] = ['x'.repeat(64), 'x'.repeat(65)]
    expect(found(`"${longest}"@example.com`)).toEqual([`"${longest}"@example.com`])
    expect(found(`a "${longer}"@example.com`)).toEqual([])
  })

  it('is on one line', () => {
    expect(found('"a\nb"@example.com')).toEqual([])
  })

  it('has two quotes', () => {
    expect(found('b"@example.com')).toEqual([])
  })
})

it('a picture for a dense display is no address', () => {
  expect(found('logo@2x.png')).toEqual([])
  expect(found('logo@2x.png.example.com')).toEqual(['logo@2x.png.example.com'])
})

it('an address may be spelled out, or end in numbers', () => {
  expect(found('bob [at] example (dot) com')).toEqual(['bob [at] example (dot) com'])
  expect(found('bob@[192.0.2.1]')).toEqual(['bob@[192.0.2.1]'])
})
