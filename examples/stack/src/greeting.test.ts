import { expect, test } from 'vitest'
import { type Greeting, greet } from './greeting.ts'

const part = (name: string, port: number) => ({
  name,
  url: `http://127.0.0.1:${port}`,
  pid: port,
  purpose: `the ${name}`,
})

const greeting: Greeting = {
  stack: {
    parts: [part('gateway', 8080), part('campaigns', 8081)],
    consoleUrl: undefined,
    ended: Promise.resolve(),
    stop: async () => undefined,
  },
  token: 'a.b.c',
  person: { sub: 'alice', tenant: 'acme', roles: ['clerk'] },
  tokenCommand: 'npx agentic token',
  dataFolder: '.agentic',
  hasServer: false,
  seconds: 1,
}

test('the request that shows a question has no goal', () => {
  const [, title, command] = /^(Ask an agent.*)\n {2}(curl .*)$/m.exec(greet(greeting)) ?? []
  expect([title, command]).toEqual([
    'Ask an agent to optimize a campaign, without a goal. It asks for one:',
    `curl -i --oauth2-bearer "$(npx agentic token)" --json '{}' http://127.0.0.1:8080/campaigns/cmp-123/optimizations`,
  ])
})

test.each([
  ['.agentic', false, 'Data is in .agentic, the audit records of each part in .agentic/audit.'],
  [
    '.agentic',
    true,
    'Data is in the database of DATABASE_URL, keys are in .agentic, the audit records of each part in .agentic/audit.',
  ],
  [undefined, false, 'Nothing is stored: data and records are lost at the end.'],
  [
    undefined,
    true,
    'Data is in the database of DATABASE_URL. Nothing else is stored: keys and records are lost at the end.',
  ],
])('with the folder %s and a database (%s) it says where the data is', (dataFolder, hasServer, line) => {
  expect(greet({ ...greeting, dataFolder, hasServer })).toContain(`\n\n${line}\n\n`)
})
