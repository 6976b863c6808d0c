import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configuration } from './harness/configuration.ts'
import { folderWith, runAgentic, spawnAgentic } from './harness/run-agentic.ts'

const custom = [{ name: 'mine', module: './mine.ts', after: 'license-check', options: { code: 'CLOSED' } }]
const text = configuration({ plugins: { custom } })

/** A module in TypeScript without imports: a folder of its own has no packages. */
const module = (code: string, more = '') => `
${more}
interface Options { readonly code: string }
const validate = (value: Partial<Options>) =>
  typeof value.code === 'string' ? { value } : { issues: [{ message: 'must be a text', path: ['code'] }] }
export const plugin = {
  name: 'mine',
  options: { '~standard': { version: 1, vendor: 'test', validate } },
  create: ({ code }: Options) => ({
    plan: ({ method }: { method: string }) => ({ runs: method === 'GET', why: 'closes reads' }),
    request: () => ({ type: 'forbidden', code: code + '_${code}', message: 'No.' }),
  }),
}
`

const folder = (files: Readonly<Record<string, string>> = {}) =>
  folderWith({ 'gateway.yaml': text, 'mine.ts': module('ONE'), ...files })

const faulty: Readonly<Record<string, readonly [files: Record<string, string>, fault: RegExp]>> = {
  'a wrong option': [
    { 'gateway.yaml': text.replace('"CLOSED"', '7') },
    /^gateway\.yaml:1:\d+: plugins\.custom\[0\]\.options\.code: must be a text\n$/,
  ],
  'another name': [
    { 'gateway.yaml': text.replace('"mine"', '"yours"') },
    /^gateway\.yaml:1:\d+: plugins\.custom\[0\]\.name: differs from the name in its module, "mine"\n$/,
  ],
  'a module that is not there': [
    { 'gateway.yaml': text.replace('mine.ts', 'nowhere.ts') },
    /^gateway\.yaml:1:\d+: plugins\.custom\[0\]\.module: there is no such file\n$/,
  ],
  'a module that throws': [
    { 'mine.ts': module('ONE', 'throw new Error("broken")') },
    /^gateway\.yaml:1:\d+: plugins\.custom\[0\]\.module: cannot be loaded: broken\n$/,
  ],
  'a module that does not parse': [
    { 'mine.ts': 'export const plugin = {' },
    /^gateway\.yaml:1:\d+: plugins\.custom\[0\]\.module: cannot be loaded: SyntaxError: [^\n]+\n$/,
  ],
  'a module that leaves a rejected promise': [
    { 'mine.ts': module('ONE', 'void Promise.reject(new Error("no calendar\\nat all"))') },
    /^gateway\.yaml:1:\d+: plugins\.custom: a module leaves a rejected promise without a handler: no calendar\n$/,
  ],
  'a module that waits for ever': [
    { 'mine.ts': 'await new Promise(() => setInterval(() => undefined, 1000))' },
    /^gateway\.yaml:1:\d+: plugins\.custom\[0\]\.module: cannot be loaded: took longer than 10 seconds\n$/,
  ],
}

test.each(Object.keys(faulty))('check and start refuse %s with 2 and its place', async (name) => {
  const [files, fault] = faulty[name] ?? [{}, /never/]
  const cwd = folder(files)
  const commands = [
    ['check', 'gateway.yaml'],
    ['start', '-c', 'gateway.yaml'],
  ]
  for (const { code, stdout, stderr } of await Promise.all(
    commands.map((args) => runAgentic(args, { cwd })),
  )) {
    expect(stderr).toMatch(fault)
    expect([code, stdout]).toEqual([2, ''])
  }
})

test('a module outside a project imports definePlugin from the running gateway', async () => {
  const source = module('ONE', "import { definePlugin } from '@agentic-rest/gateway'")
    .replace('export const plugin = {', 'export const plugin = definePlugin({')
    .replace(/}\n$/, '})\n')
  const cwd = folder({ 'mine.ts': source })
  expect(await runAgentic(['check', 'gateway.yaml'], { cwd })).toMatchObject({
    code: 0,
    stdout: 'gateway.yaml is valid\n',
  })
})

test('check passes a valid plugin, and ends though its module keeps a timer', async () => {
  const cwd = folder({ 'mine.ts': module('ONE', 'setInterval(() => undefined, 1000)') })
  expect(await runAgentic(['check', 'gateway.yaml'], { cwd })).toMatchObject({
    code: 0,
    stdout: 'gateway.yaml is valid\n',
  })
})

test('a create that fails is found by check, and ends the start with 1 and its place, without a stack', async () => {
  const cwd = folder({
    'mine.ts': module('ONE').replace('=> ({', '=> { throw new Error("no calendar") }, x: () => ({'),
  })
  const place = /^gateway\.yaml:1:\d+: plugins\.custom\[0\]: create failed: no calendar$/
  const checked = await runAgentic(['check', 'gateway.yaml'], { cwd })
  expect([checked.code, checked.stderr.trim()]).toEqual([2, expect.stringMatching(place)])
  const { code, stderr } = await runAgentic(['start', '-c', 'gateway.yaml'], { cwd })
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
    {
      msg: 'the gateway did not start',
      reason: expect.stringMatching(place),
    },
  ])
  expect(code).toBe(1)
})

test('routes --test lists a plugin in its place with its plan', async () => {
  const cwd = folder()
  const { code, stdout } = await runAgentic(['routes', 'gateway.yaml', '--test', 'GET /items/1'], { cwd })
  expect(code).toBe(0)
  expect(
    stdout
      .split('\n')
      .filter((line) => /^ {4}\d /.test(line))
      .map((line) => line.trim().split(/ {2,}/)),
  ).toEqual([
    ['1 token-validator', 'idle', 'its mode is off'],
    ['2 tenant-injector', 'runs', 'takes the tenant from the header'],
    ['3 route-policy', 'idle', 'the route names neither scopes nor allow'],
    ['4 rate-limits', 'idle', 'no policy of gateway.rate_limits counts the route'],
    ['5 license-check', 'idle', 'the route names no license'],
    ['6 mine', 'runs', 'closes reads'],
    ['7 prompt-sanitize', 'idle', 'it has no rules'],
    ['8 otel-audit', 'runs', 'writes a record to stdout'],
  ])
  // Without --test nothing is loaded.
  const listed = await runAgentic(['routes', 'gateway.yaml'], { cwd: folder({ 'mine.ts': 'throw 1' }) })
  expect(listed.code).toBe(0)
})

test.each([1, 2])(
  'a gateway of %i processes runs the plugin, and a reload takes a changed module',
  async (workers) => {
    const cwd = folder({ 'gateway.yaml': configuration({ gateway: { workers }, plugins: { custom } }) })
    const { logged, child, ended } = spawnAgentic(['start', '-c', 'gateway.yaml'], { cwd })
    const { port } = await logged('the gateway is listening')
    const ask = async () => {
      const headers = { 'X-Tenant-ID': 'acme', connection: 'close' }
      const answers = Array.from({ length: 4 }, () => fetch(`http://127.0.0.1:${port}/items/1`, { headers }))
      const bodies = await Promise.all((await Promise.all(answers)).map((answer) => answer.json()))
      return new Set(bodies.map((body) => (body as { code: string }).code))
    }
    expect(await ask()).toEqual(new Set(['CLOSED_ONE']))
    writeFileSync(join(cwd, 'mine.ts'), module('TWO'))
    child.kill('SIGHUP')
    await logged('the configuration was reloaded')
    expect(await ask()).toEqual(new Set(['CLOSED_TWO']))
    writeFileSync(join(cwd, 'mine.ts'), 'throw new Error("broken")')
    child.kill('SIGHUP')
    const { faults } = await logged('the reload was refused')
    expect(faults).toEqual([expect.stringMatching(/plugins\.custom\[0\]\.module: cannot be loaded: broken$/)])
    expect(await ask()).toEqual(new Set(['CLOSED_TWO']))
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  },
)
