import { expect, test } from 'vitest'
import { runningScript, typedCommand } from '../src/index.ts'

test.each([
  ['start', '--memory', { npm_lifecycle_event: 'start', npm_command: 'start' }, 'npm start -- --memory'],
  ['start', '', { npm_lifecycle_event: 'start' }, 'npm start'],
  ['token', '--sub a', { npm_lifecycle_event: 'start' }, 'npx agentic token --sub a'],
  ['start', '--memory', { npm_lifecycle_event: 'npx', npm_command: 'exec' }, 'npx agentic dev --memory'],
  [
    'token',
    '',
    { npm_command: 'exec', PATH: '/home/a/.npm/_npx/1/node_modules/.bin:/bin' },
    'npx agentic-rest token',
  ],
  ['token', '', { npm_lifecycle_event: 'constructor' }, 'npx agentic token'],
  ['start', '--memory', { npm_lifecycle_event: 'start', npm_package_name: 'a' }, 'npm start -- --memory'],
  ['start', '', { npm_lifecycle_event: 'dev', npm_package_name: 'a' }, 'npm run dev'],
  ['start', '', { npm_lifecycle_event: 'test', npm_package_name: 'a' }, 'npx agentic dev'],
  ['token', '', { npm_lifecycle_event: 'start', npm_package_name: 'my-agent' }, 'npx agentic token'],
  ['start', '--memory', {}, 'agentic dev --memory'],
] as const)('%s with %j in %j is %s', (script, options, env, typed) => {
  expect(typedCommand(script, options, env)).toBe(typed)
})

test('a script of somebody else is none of the stack', () => {
  expect(['tour', 'dev', '__proto__'].map((name) => runningScript({ npm_lifecycle_event: name }))).toEqual([
    'tour',
    undefined,
    undefined,
  ])
})
