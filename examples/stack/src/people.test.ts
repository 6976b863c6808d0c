import { formatFaults, parseConfig } from '@agentic-rest/gateway'
import { expect, test } from 'vitest'
import { parsePeople, peopleOf } from './people.ts'

function faultsOf(text: string): string[] {
  const result = parsePeople(text, 'people.yaml')
  return result.ok ? [] : formatFaults(result.faults).split('\n')
}

test('people have a name, a tenant and roles, which may be left out', () => {
  const text =
    'people:\n  - { name: alice, tenant: acme, roles: [support] }\n  - { name: bob, tenant: acme }\n'
  expect(parsePeople(text, 'people.yaml')).toEqual({
    ok: true,
    people: [
      { sub: 'alice', tenant: 'acme', roles: ['support'] },
      { sub: 'bob', tenant: 'acme', roles: [] },
    ],
  })
})

test.each([
  ['', ['people.yaml:1:1: people: is required']],
  ['people: []\n', ['people.yaml:1:9: people: must not be empty']],
  ['people: alice\n', ['people.yaml:1:9: people: expected a list']],
  ['people: [\n', ['people.yaml:2:1: not valid YAML here']],
  ['people: []\npeople: []\n', ['people.yaml:2:1: the same key is given twice']],
  [
    'poeple: []\n',
    [
      'people.yaml:1:1: poeple: unknown key "poeple", did you mean "people"?',
      'people.yaml:1:1: people: is required',
    ],
  ],
  [
    'people:\n  - name: alice\n    tennant: acme\n',
    [
      'people.yaml:2:5: people[0].tenant: is required',
      'people.yaml:3:5: people[0].tennant: unknown key "tennant", did you mean "tenant"?',
    ],
  ],
  [
    'people:\n  - { name: a b, tenant: "x/y", roles: ["a,b", 7] }\n',
    [
      'people.yaml:2:13: people[0].name: expected 1 to 256 printable characters without blanks',
      'people.yaml:2:26: people[0].tenant: expected 1 to 64 letters, digits, dots, dashes or underscores',
      'people.yaml:2:41: people[0].roles[0]: expected printable text without commas and outer blanks',
      'people.yaml:2:48: people[0].roles[1]: expected a text',
    ],
  ],
  [
    'people:\n  - { name: alice, tenant: acme }\n  - { name: alice, tenant: globex }\n',
    ['people.yaml:3:13: people[1].name: duplicate name "alice"'],
  ],
])('%j is refused with file, line and column', (text, faults) => {
  expect(faultsOf(text).toSorted()).toEqual(faults.toSorted())
})

test.each([
  ['allowed: [north, south, east]', ['north', 'north', 'north', 'south']],
  ['allowed: [north]', ['north', 'north', 'north']],
  ['claim: org', ['acme', 'acme', 'acme', 'globex']],
])('without a file, people have the tenants and roles of the gateway (%s)', (tenants, expected) => {
  const route = '{ id: a, method: GET, path: /a, target: "http://127.0.0.1:9", roles: [clerk] }'
  const other = '{ id: b, method: GET, path: /b, target: "http://127.0.0.1:9", roles: [clerk, manager] }'
  const text = `plugins: { token-validator: { mode: off }, tenant-injector: { trust_header: everyone, ${tenants} } }\nroutes: [${route}, ${other}]\n`
  const parsed = parseConfig(text, { file: 'gateway.yaml', env: {} })
  if (!parsed.ok) expect.fail(formatFaults(parsed.faults))
  const people = peopleOf(parsed.config)
  expect(people.map(({ tenant }) => tenant)).toEqual(expected)
  const roles = ['clerk', 'manager']
  expect(people.map((person) => [person.sub, person.roles])).toEqual(
    [
      ['alice', roles],
      ['bob', []],
      ['dave', roles],
      ['carol', roles],
    ].slice(0, expected.length),
  )
})

test('aliases that stand for too much are refused', () => {
  const bomb = `a: &a [x]\n${[...Array(200).keys()].map((index) => `b${index}: [*a]\n`).join('')}`
  expect(faultsOf(bomb)).toEqual([
    'people.yaml:1:1: the file is nested too deeply, or its aliases stand for too much',
  ])
})
