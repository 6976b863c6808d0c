import { expect, test } from 'vitest'
import { makeValidator, refusedWith } from './make-validator.ts'

test('mode off lets every request pass as nobody', async () => {
  for (const token of [undefined, 'not a token']) {
    const validator = makeValidator({ mode: 'off' })
    const { answer, exchange } = await validator.send(token)
    expect(answer).toBeUndefined()
    expect(exchange.identity).toBeUndefined()
    expect(exchange.actor).toBe('')
    await validator.close()
  }
})

test('mode off takes the word of the request on who acts, unless told otherwise', async () => {
  const headers = { 'X-Actor-Principal': 'bob' }
  const actors = []
  for (const actor_header of ['trust', 'service_accounts', 'ignore']) {
    const validator = makeValidator({ mode: 'off', actor_header })
    actors.push((await validator.send(undefined, { headers })).exchange.actor)
  }
  expect(actors).toEqual(['bob', '', ''])
})

test('mode off opens no route that needs roles, since nobody has any', async () => {
  const validator = makeValidator({ mode: 'off' })
  const { answer } = await validator.send(undefined, { roles: ['admin'] })
  expect(answer).toEqual(refusedWith('INSUFFICIENT_ROLES'))
})
