import {
  type Answer,
  type IssuerServer,
  sendJson,
  startIssuer,
  startTrap,
} from '@agentic-rest/testing/start-issuer'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeValidator, refusedWith, registered, type TestValidator } from './make-validator.ts'

let issuer: IssuerServer
let trap: Awaited<ReturnType<typeof startTrap>>
let validator: TestValidator | undefined
beforeEach(async () => {
  issuer = await startIssuer()
  trap = await startTrap()
})
afterEach(() => Promise.all([issuer.close(), trap.close(), validator?.close()]))

const discovered = (name = issuer.url) => ({
  issuers: [registered(issuer, { issuer: name, jwks_uri: undefined })],
})

/** Answers `/jwks` with the keys and every other path with `answer`. */
function discoveryAnswer(answer: Answer): Answer {
  return (request, response) =>
    request.url === '/jwks' ? sendJson(response, { keys: issuer.published }) : answer(request, response)
}

test('without jwks_uri and jwks_file the keys are found by OIDC discovery', async () => {
  validator = makeValidator(discovered())
  expect((await validator.send(await issuer.token())).answer).toBeUndefined()
  expect(issuer.requests).toEqual(['/.well-known/openid-configuration', '/jwks'])
})

test('a slash at the end of the issuer is part of its name but not doubled in the address', async () => {
  const name = `${issuer.url}/`
  issuer.answer = discoveryAnswer((_request, response) =>
    sendJson(response, { issuer: name, jwks_uri: issuer.jwksUri }),
  )
  validator = makeValidator(discovered(name))
  expect((await validator.send(await issuer.token({ claims: { iss: name } }))).answer).toBeUndefined()
  expect((await validator.send(await issuer.token())).answer).toEqual(refusedWith('UNKNOWN_ISSUER'))
  expect(issuer.requests[0]).toBe('/.well-known/openid-configuration')
})

test('the path of an issuer is kept in front of the well-known path', async () => {
  const name = `${issuer.url}/realms/acme`
  issuer.answer = discoveryAnswer((_request, response) =>
    sendJson(response, { issuer: name, jwks_uri: issuer.jwksUri }),
  )
  validator = makeValidator(discovered(name))
  expect((await validator.send(await issuer.token({ claims: { iss: name } }))).answer).toBeUndefined()
  expect(issuer.requests[0]).toBe('/realms/acme/.well-known/openid-configuration')
})

test('new keys are found where the document says at that moment', async () => {
  validator = makeValidator(discovered())
  await validator.send(await issuer.token())
  const other = await startIssuer()
  issuer.answer = (_request, response) => sendJson(response, { issuer: issuer.url, jwks_uri: other.jwksUri })
  const token = await issuer.token({ key: { ...other.key, kid: 'moved' } })
  other.published = [{ ...other.key.jwk, kid: 'moved' }]
  expect((await validator.send(token)).answer).toEqual(undefined)
  expect(other.requests).toEqual(['/jwks'])
  await other.close()
})

test.each([
  ['names another issuer', () => ({ issuer: trap.url, jwks_uri: issuer.jwksUri })],
  ['names the issuer with a slash', () => ({ issuer: `${issuer.url}/`, jwks_uri: issuer.jwksUri })],
  ['names no issuer', () => ({ jwks_uri: issuer.jwksUri })],
  ['names no address of keys', () => ({ issuer: issuer.url })],
  ['names a file as address', () => ({ issuer: issuer.url, jwks_uri: 'file:///etc/passwd' })],
  ['names an ftp address', () => ({ issuer: issuer.url, jwks_uri: 'ftp://127.0.0.1/jwks' })],
  ['names a relative address', () => ({ issuer: issuer.url, jwks_uri: '/jwks' })],
  [
    'names an address with credentials',
    () => ({ issuer: issuer.url, jwks_uri: issuer.jwksUri.replace('//', '//a:b@') }),
  ],
  ['names a list of addresses', () => ({ issuer: issuer.url, jwks_uri: [issuer.jwksUri] })],
  ['is null', () => null],
  ['is a text', () => 'keys'],
])('a document that %s gives no keys', async (_what, document) => {
  issuer.answer = discoveryAnswer((_request, response) => sendJson(response, document()))
  validator = makeValidator(discovered())
  expect((await validator.send(await issuer.token())).answer).toEqual(refusedWith('JWKS_UNAVAILABLE'))
  expect(issuer.requests).toEqual(['/.well-known/openid-configuration'])
  expect(trap.requests).toEqual([])
})

test('a redirect of the document is not followed', async () => {
  issuer.answer = discoveryAnswer((_request, response) =>
    response.writeHead(302, { Location: `${trap.url}/.well-known/openid-configuration` }).end(),
  )
  validator = makeValidator(discovered())
  expect((await validator.send(await issuer.token())).answer).toEqual(refusedWith('JWKS_UNAVAILABLE'))
  expect(trap.requests).toEqual([])
})
