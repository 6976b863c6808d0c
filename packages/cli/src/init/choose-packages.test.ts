import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { askRegistry, choosePackages, type RegistryAnswer } from './choose-packages.ts'

const registry = 'https://registry.example/'

function answer(...missing: [string, 'not found' | 'no answer'][]): () => Promise<RegistryAnswer> {
  return async () => ({ registry, missing: new Map(missing) })
}

const options = { wanted: undefined, version: '1.2.3', clone: undefined, progress: () => undefined } as const
const plain = { version: '1.2.3', tarballs: undefined, notes: [] }

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
])('without a clone they are plain versions too, with a note (%#)', async (ask, note) => {
  expect(await choosePackages({ ...options, ask })).toEqual({ ...plain, notes: [note] })
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
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    response.writeHead(url.includes('service') ? 200 : url.includes('stack') ? 503 : 404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/npm`
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
