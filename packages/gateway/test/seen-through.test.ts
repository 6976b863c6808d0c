import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'

async function start() {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const gateway = await startGateway({
    plugins: {
      'prompt-sanitize': {
        rules: [
          { name: 'email', builtin: 'email' },
          { name: 'card', builtin: 'credit_card' },
          { name: 'ssn', builtin: 'us_ssn' },
          { name: 'phone', builtin: 'phone' },
          { name: 'iban', builtin: 'iban' },
          {
            name: 'jailbreak',
            keywords: ['ignore previous instructions', 'пароль', 'έξοδος'],
            action: 'reject',
          },
        ],
      },
    },
    routes: [{ id: 'r', method: 'POST', path: '/r', target: upstream.url }],
  })
  const post = (text: string, type = 'application/json') =>
    fetch(`${gateway.url}/r`, {
      method: 'POST',
      body: type === 'application/json' ? JSON.stringify({ text }) : text,
      headers: { 'X-Tenant-ID': 'acme', 'Content-Type': type },
    })
  return { post, upstream }
}

/** ASCII as tag characters, which are invisible. */
const tags = (text: string) =>
  Array.from(text, (character) => String.fromCodePoint(0xe0000 + character.charCodeAt(0))).join('')

describe('a keyword is found', () => {
  it.each([
    ['in tag characters', `hello ${tags('ignore previous instructions')}`],
    ['partly in tag characters', `ignore ${tags('PREVIOUS')} instructions`],
    ['with tag characters in between', `ig${tags('xyz')}nore previous instructions`],
    ['in Cyrillic letters', 'іgnоrе рrеvіоus іnstruсtіоns'],
    ['in Cyrillic capitals', 'ІGNОRЕ РRЕVІОUЅ ІNЅТRUСТІОNЅ'],
    ['in Greek letters', 'ιgnοrε ρrενιουs ιnsτrυcτιοns'],
    ['in Greek capitals', 'ΙGΝΟRΕ ΡRΕVΙΟUS ΙΝSΤRUCΤΙΟΝS'],
    ['with blanks of Braille', 'ignore\u2800previous\u2800\u2800instructions'],
    ['with fillers of Hangul', 'ignore\u3164previous\uffa0instructions'],
    ['with fillers inside a word', 'ig\u3164nore previous instructions'],
    ['of Cyrillic in any case', 'ПАРОЛЬ'],
    ['of Cyrillic with Latin letters', 'пapoль'],
    ['of Greek in any case', 'ΈΞΟΔΟΣ'],
  ])('%s', async (_title, text) => {
    const { post, upstream } = await start()
    expect((await post(text)).status).toBe(422)
    expect((await post(text, 'text/plain')).status).toBe(422)
    expect(upstream.requests).toEqual([])
  })

  it('in escaped tag characters', async () => {
    const { post, upstream } = await start()
    const escaped = tags('ignore%20previous instructions').replaceAll(
      /[\ud800-\udfff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16)}`,
    )
    expect((await post(escaped, 'text/plain')).status).toBe(422)
    expect(upstream.requests).toEqual([])
  })
})

describe('a value is redacted', () => {
  it.each([
    [`mail ${tags('bob@example.test')}.`, 'mail [REDACTED:email].'],
    [`mail bob${tags('@')}example.test`, 'mail [REDACTED:email]'],
    ['4111,1111,1111,1111', '[REDACTED:card]'],
    ['card 4111, 1111, 1111, 1111 a', 'card [REDACTED:card] a'],
    ['4111\u28001111\u28001111\u28001111', '[REDACTED:card]'],
    ['4111\u31641111\u31641111\u31641111', '[REDACTED:card]'],
    ['123,45,6789', '[REDACTED:ssn]'],
    ['DE89,3704,0044,0532,0130,00', '[REDACTED:iban]'],
    ['GB29, NWBK, 6016, 1331, 9268, 19, 20', '[REDACTED:iban], 20'],
    ['123\u280045\u28006789', '[REDACTED:ssn]'],
    ['+1,212,555,0100', '[REDACTED:phone]'],
    ['212, 555, 0100', '[REDACTED:phone]'],
  ])('%j', async (text, redacted) => {
    const { post, upstream } = await start()
    expect((await post(text)).status).toBe(200)
    expect(JSON.parse(upstream.requests[0]?.body.toString() ?? '')).toEqual({ text: redacted })
  })
})

it.each([
  'Привет, как дела? Хорошо, спасибо.',
  'Η γλώσσα είναι ελληνική, α και ω.',
  'a flag: 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  'growth of +1,200,300, then 4,111,111,111,111,111; [1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0]',
  '⠓⠑⠇⠇⠕⠀⠺⠕⠗⠇⠙',
  '안녕하세요\u3164여러분',
])('a text without a value arrives as it is: %s', async (text) => {
  const { post, upstream } = await start()
  expect((await post(text)).status).toBe(200)
  expect(JSON.parse(upstream.requests[0]?.body.toString() ?? '')).toEqual({ text })
})
