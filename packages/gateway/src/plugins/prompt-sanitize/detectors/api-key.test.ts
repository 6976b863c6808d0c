import { describe, expect, it, test } from 'vitest'
import { apiKey } from './api-key.ts'

/** The matches as text. */
const found = (text: string, hint = '') =>
  apiKey.find(text, hint).map(({ start, end }) => text.slice(start, end))

test('a key with a prefix is taken to its end', () => {
  const key = `sk-${'a1'.repeat(12)}_-x`
  expect(found(`use ${key}. Then`)).toEqual([key])
})

describe('a private key in PEM', () => {
  const begin = '-----BEGIN RSA PRIVATE KEY-----'
  const end = '-----END RSA PRIVATE KEY-----'

  it('is taken whole, and nothing behind it', () => {
    const block = `${begin}\nMIIB+/=\r\nProc-Type: 4,ENCRYPTED\n${end}`
    expect(found(`a ${block} b`)).toEqual([block])
  })

  it('without its end is taken as far as it could go', () => {
    expect(found(`${begin}\nMIIB(rest)`)).toEqual([`${begin}\nMIIB`])
    expect(found(`${begin}\nMIIB-----BEGIN`)).toEqual([`${begin}\nMIIB`])
  })

  it('is followed by another one', () => {
    const block = `${begin}\nMIIB\n${end}`
    expect(found(`${block}\n${block}`)).toEqual([block, block])
  })
})

describe('a value that a word announces', () => {
  const secret = 'aB3_+/.~-aB3aB3aB3'

  it('is taken with its padding', () => {
    expect(found(`api_key: ${secret}`)).toEqual([secret])
    expect(found(`api_key: ${secret}=x`)).toEqual([`${secret}=`])
    expect(found(`api_key: ${secret}==x`)).toEqual([`${secret}==`])
    expect(found(`api_key: ${secret}===`)).toEqual([`${secret}==`])
  })

  it('is no value without letters, or without digits, whatever else the text has', () => {
    expect(found('api_key: 12345678901234567890 letters')).toEqual([])
    expect(found('api_key: abcdefghijklmnopqrstuvwxyz 12')).toEqual([])
    expect(found('1 api_key: abcdefghijklmnopqrstuvwxyz')).toEqual([])
  })

  it('ends at the first character that is none of a secret', () => {
    expect(found(`api_key: ${secret}, next`)).toEqual([secret])
    expect(found(`api_key: ${secret} next`)).toEqual([secret])
  })

  it('is announced by the key that it stands under', () => {
    expect(found(secret, 'clientSecret')).toEqual([secret])
    expect(found(secret, 'name')).toEqual([])
  })
})
