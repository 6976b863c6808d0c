import { startServer } from '@agentic-rest/testing/start-server'
import { expect, onTestFinished, test, vi } from 'vitest'
import { askRegistry, choosePackages } from './choose-packages.ts'

const registry = 'https://registry.example/'

function answer(...missing: [string, 'not found' | 'no answer'][]): typeof askRegistry {
  return async () => ({ registry, missing: new Map(missing) })
}

const options = {
  ...{ wanted: undefined, version: '1.2.3', progress: () => undefined },
  ...{ clone: undefined, installed: undefined },
} as const
const plain = { version: '1.2.3', tarballs: undefined }

test('packages that the registry has are plain versions', async () => {
  expect(await choosePackages({ ...options, ask: answer() })).toEqual(plain)
})

test.each([
  [
    answer(['@agentic-rest/service', 'not found'], ['agentic-rest', 'not found']),
    'https://registry.example/ does not have @agentic-rest/service 1.2.3 and 1 more package',
  ],
  [
    answer(['agentic-rest', 'no answer']),
    'https://registry.example/ does not say whether it has agentic-rest 1.2.3',
  ],
])('without a clone and tarballs a project that npm cannot install is refused (%#)', async (ask, lack) => {
  await expect(choosePackages({ ...options, ask })).rejects.toThrow(
    `${lack}: run agentic init in the folder of a clone, or add --packages registry for plain versions all the same`,
  )
})

const installed = {
  folder: '/project/vendor',
  files: new Map([
    ['@agentic-rest/profile', 'profile.tgz'],
    ['@agentic-rest/service', 'service.tgz'],
    ['agentic-rest', 'command.tgz'],
  ]),
}

test.each([
  ['that the registry lacks', undefined],
  ['that are asked for', 'vendor'],
] as const)('packages %s come from the tarballs of the installation', async (_, wanted) => {
  const ask = vi.fn(answer(['agentic-rest', 'not found']))
  expect(await choosePackages({ ...options, wanted, installed, ask })).toEqual({
    ...plain,
    tarballs: installed,
  })
  const names = ['@agentic-rest/service', 'agentic-rest', '@agentic-rest/profile']
  expect(ask.mock.calls).toEqual(wanted === undefined ? [[names, '1.2.3']] : [])
})

test('tarballs without the service are no help', async () => {
  const partial = { ...installed, files: new Map([['agentic-rest', 'command.tgz']]) }
  const ask = answer(['agentic-rest', 'not found'])
  await expect(choosePackages({ ...options, installed: partial, ask })).rejects.toThrow('run agentic init in')
})

test('tarballs that are asked for need a clone', async () => {
  await expect(choosePackages({ ...options, wanted: 'vendor' })).rejects.toThrow(
    '--packages vendor needs a clone of the repository: run agentic init from there',
  )
})

test('plain versions that are asked for need no registry', async () => {
  const ask = vi.fn(answer())
  expect(await choosePackages({ ...options, wanted: 'registry', ask })).toEqual(plain)
  expect(ask).not.toHaveBeenCalled()
})

test('the registry of npm is asked for each package in this version', async () => {
  const asked: string[] = []
  const server = await startServer(({ url = '' }, response) => {
    asked.push(url)
    response.writeHead(url.includes('service') ? 200 : url.includes('stack') ? 503 : 404).end()
  })
  const url = `${server.url}/npm`
  vi.stubEnv('npm_config_registry', url)
  onTestFinished(() => void vi.unstubAllEnvs())
  const names = ['@agentic-rest/service', '@agentic-rest/stack', 'agentic-rest']
  expect(await askRegistry(names, '1.2.3')).toEqual({
    registry: `${url}/`,
    missing: new Map([
      ['@agentic-rest/stack', 'no answer'],
      ['agentic-rest', 'not found'],
    ]),
  })
  expect(asked.toSorted()).toEqual([
    '/npm/@agentic-rest%2fservice/1.2.3',
    '/npm/@agentic-rest%2fstack/1.2.3',
    '/npm/agentic-rest/1.2.3',
  ])
})
