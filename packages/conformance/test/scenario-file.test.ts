import { expect, test } from 'vitest'
import { formatScenarioFaults, parseScenario } from '../src/index.ts'

function faultsOf(text: string, env: Record<string, string> = {}): string[] {
  const result = parseScenario(text, { file: 'c.yaml', env })
  return result.ok ? [] : formatScenarioFaults(result.faults).split('\n')
}

const request = 'request: { method: GET, path: / }'

test.each([
  {
    title: 'an unknown key',
    text: 'tokn: alice',
    faults: ['c.yaml:1:1: tokn: unknown key, did you mean "token"?'],
  },
  {
    title: 'a misspelt outcome',
    text: `outcomes:\n  sucess: { ${request} }`,
    faults: ['c.yaml:2:3: outcomes.sucess: unknown key, did you mean "success"?'],
  },
  {
    title: 'an unknown key far from all',
    text: `stream:\n  ${request}\n  colour: red`,
    faults: ['c.yaml:3:3: stream.colour: unknown key'],
  },
  {
    title: 'a word that is none',
    text: 'target: gatway',
    faults: ['c.yaml:1:9: target: expected one of gateway, service'],
  },
  {
    title: 'a missing request',
    text: 'outcomes:\n  created: {}',
    faults: ['c.yaml:2:12: outcomes.created.request: is required'],
  },
  {
    title: 'a path of another host',
    text: 'stream: { request: { method: GET, path: //elsewhere } }',
    faults: ['c.yaml:1:41: stream.request.path: expected a path that starts with one "/"'],
  },
  {
    title: 'a token in the file',
    text: 'tokens:\n  alice: eyJhbGciOi',
    faults: ['c.yaml:2:10: tokens.alice: expected a map with one of env, command, file and url'],
  },
  {
    title: 'a token that is not declared',
    text: `token: alcie\ntokens: { alice: { env: X } }\nstream: { request: { method: GET, path: /, token: bob, body: { token: own } } }`,
    faults: [
      'c.yaml:1:8: token: there is no token of that name in tokens, did you mean "alice"?',
      'c.yaml:3:51: stream.request.token: there is no token of that name in tokens',
    ],
  },
  {
    title: 'a service that is not declared',
    text: 'stream: { request: { method: GET, path: /, service: b } }',
    faults: ['c.yaml:1:53: stream.request.service: there is no service of that name in services'],
  },
  {
    title: 'numbers out of range',
    text: `limit: { ${request}, streams: 0 }\ndeadline: { ${request}, seconds: 301 }`,
    faults: [
      'c.yaml:1:54: limit.streams: must be at least 1',
      'c.yaml:2:57: deadline.seconds: must be at most 300',
    ],
  },
  {
    title: 'a path into a body that is none',
    text: `retry: { ${request}, effects: { method: GET, path: /, count: items } }`,
    faults: ['c.yaml:1:85: retry.effects.count: expected a path such as $.items[0].id'],
  },
  {
    title: 'a variable that is not set',
    text: 'tenant: ${NOPE}',
    faults: ['c.yaml:1:9: environment variable NOPE is not set'],
  },
  {
    title: 'a variable with a message',
    text: 'tenant: ${NOPE:?say which}',
    faults: ['c.yaml:1:9: environment variable NOPE is not set: say which'],
  },
  {
    title: 'a reference that is none',
    text: 'tenant: ${a b}',
    faults: ['c.yaml:1:9: a reference is written ${NAME}, ${NAME:-default} or ${NAME:?message}'],
  },
  {
    title: 'a key given twice',
    text: 'tenant: a\ntenant: b',
    faults: ['c.yaml:2:1: the same key is given twice'],
  },
  { title: 'no YAML', text: 'outcomes: [', faults: ['c.yaml:1:12: not valid YAML here'] },
  { title: 'a list', text: '- 1', faults: ['c.yaml:1:1: expected a map'] },
  {
    title: 'control characters',
    text: '"\\e[31m": 1',
    faults: ['c.yaml:1:1: \\u{1b}[31m: unknown key'],
  },
])('$title is a fault with its place', ({ text, faults }) => {
  expect(faultsOf(text)).toEqual(faults)
})

test.each([
  { title: 'deep nesting', text: '['.repeat(20_000) },
  {
    title: 'an alias bomb',
    text: `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghij'].map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[index]}`).join(',')}]`).join('\n')}`,
  },
  { title: 'a prototype', text: '__proto__: { token: x }' },
  { title: 'a long file', text: `# ${'x'.repeat(1_100_000)}` },
])('$title is refused', ({ text }) => {
  expect(faultsOf(text)).not.toEqual([])
})

test('variables are filled in, and values of them are in no message', () => {
  const text = 'tenant: ${TENANT:-acme}\nforeignTenant: $${x}\nservices: { b: "${B}" }\ntarget: ${SECRET}'
  expect(faultsOf(text, { B: 'http://b.test', SECRET: 'hunter2' })).toEqual([
    'c.yaml:4:9: target: expected one of gateway, service',
  ])
  const result = parseScenario(text.replace('${SECRET}', 'service'), {
    file: 'c',
    env: { B: 'http://b.test' },
  })
  expect(result).toEqual({
    ok: true,
    scenario: { target: 'service', tenant: 'acme', foreignTenant: '${x}', services: { b: 'http://b.test' } },
  })
})

test('an empty file is a scenario that shows nothing', () => {
  expect(parseScenario('', { file: 'c', env: {} })).toEqual({ ok: true, scenario: { target: 'gateway' } })
})
