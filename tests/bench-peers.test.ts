import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readArguments } from '../bench/arguments.ts'
import { type PeerSetting, peers } from '../bench/contenders/peer-programs.ts'
import { costsOf } from '../bench/measures/cold-tokens.ts'
import { readVersion } from '../bench/measures/peers.ts'
import { reportOf } from '../bench/report.ts'

const folder = mkdtempSync(join(tmpdir(), 'agentic-peers-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const jwksFile = join(folder, 'keys.json')
const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
writeFileSync(jwksFile, JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }))
const setting: PeerSetting = {
  folder,
  port: 4001,
  upstreamPort: 4002,
  issuer: { issuer: 'https://bench.example', jwksFile },
}

function peerOf(program: string) {
  const peer = peers.find((each) => each.program === program)
  if (peer === undefined) throw new Error(`no peer ${program}`)
  return { ...peer, written: peer.files(setting), started: peer.arguments(setting).join(' ') }
}

test('each peer listens on its own port and calls the same service', () => {
  expect(peers.map(({ program }) => program)).toEqual([
    'nginx',
    'haproxy',
    'envoy',
    'krakend',
    'traefik',
    'caddy',
  ])
  for (const { program } of peers) {
    const { written, started } = peerOf(program)
    const all = `${started} ${Object.values(written).join(' ')}`
    expect(all).toContain('4001')
    expect(all).toContain('4002')
  }
})

test('peers that check tokens know the key, the issuer and the audience', () => {
  const checking = peers.filter(({ checksToken }) => checksToken).map(({ program }) => program)
  expect(checking).toEqual(['haproxy', 'envoy', 'krakend'])
  for (const program of checking) {
    const text = Object.values(peerOf(program).written).join('\n')
    expect(text).toContain('https://bench.example')
    expect(text).toContain('agentic')
    expect(text).toContain(program === 'haproxy' ? join(folder, 'key.pem') : jwksFile)
  }
  expect(createPublicKey(peerOf('haproxy').written['key.pem'] ?? '').equals(publicKey)).toBe(true)
})

test('envoy keeps verified tokens and runs one worker', () => {
  const { written, started } = peerOf('envoy')
  expect(written['envoy.json']).toContain('"jwt_cache_size": 1000')
  expect(started).toContain('--concurrency 1')
})

test.each([
  ['HAProxy version 2.6.12-1+deb12u4 2026/10/17', '', '2.6.12'],
  ['', 'nginx version: nginx/1.22.1', '1.22.1'],
  ['envoy  version: 9e5580933739/1.40.0/Clean/RELEASE/BoringSSL', '', '1.40.0'],
  ['v2.11.7 h1:yj0Y4fYZGPkSvib', '', '2.11.7'],
  ['', '', 'unknown'],
])('the version in %j and %j is %s', (stdout, stderr, version) => {
  expect(readVersion({ stdout, stderr })).toBe(version)
})

function asked(...args: string[]) {
  const read = readArguments(args)
  if (typeof read === 'string') throw new Error(read)
  return read
}

test('--only takes several parts, repeated or with commas', () => {
  const read = asked('--only', 'passthrough,latency', '--only', 'streams')
  expect(['passthrough', 'latency', 'streams', 'growth'].map(read.wants)).toEqual([true, true, true, false])
  expect(read.isPartial).toBe(true)
  expect(readArguments(['--only', 'passthrough,nothing'])).toMatch(/^unknown: nothing\. There are: /)
})

test('--peers alone measures nothing else; with --only it measures both', () => {
  expect([asked('--peers').peers, asked('--peers').wants('passthrough')]).toEqual([true, false])
  const both = asked('--peers', '--only', 'passthrough')
  expect([both.peers, both.wants('passthrough'), both.wants('latency')]).toEqual([true, true, false])
  expect([asked().peers, asked().wants('passthrough')]).toEqual([false, true])
})

const one = { median: 1, low: 1, high: 1 }
const figures = {
  cpuMicroseconds: one,
  requestsPerSecond: one,
  p50Ms: one,
  p99Ms: one,
  residentMegabytes: one,
}
const empty = {
  version: '1.0.0',
  commit: 'abc',
  date: '2026-01-01',
  seed: 1,
  quick: false,
  machine: { cpu: 'x', cores: 2, memoryGigabytes: 1, kernel: '6', node: 'v24', loadBefore: 0 },
  stolenPercent: 0,
  throughput: [],
}

test('the report names versions, unchecked tokens, settings and missing programs', () => {
  const program = { name: 'caddy', version: '2.11.7', checksToken: false, settings: 'plain' }
  const report = reportOf({
    ...empty,
    peers: {
      programs: [program],
      missing: ['krakend'],
      tables: [{ title: 'GET', contenders: { caddy: figures }, allPluginsTo: { caddy: one } }],
    },
  })
  expect(report).toContain('| caddy | 2.11.7 | not checked | 1.00 (1.00 to 1.00) | 1.00 | 1.00 | 1 | 1 |')
  expect(report).toContain('CPU per request with all plugins: 1.00 (1.00 to 1.00) × caddy.')
  expect(report).toContain('caddy: plain. Not on the PATH: krakend.')
})

test('a never-seen token is judged by its difference to a remembered one, in bare verifications', () => {
  const rounds = [
    { remembered: 40, cold: 75, bare: 28 },
    { remembered: 50, cold: 80, bare: 30 },
  ]
  const gateway = costsOf(rounds)
  expect(gateway.addedToBare).toEqual({ median: 1.125, low: 1, high: 1.25 })
  const report = reportOf({ ...empty, coldTokens: { gateway, bareMicroseconds: one } })
  expect(report).toContain(
    '| gateway | 45.00 (40.00 to 50.00) | 77.50 (75.00 to 80.00) | 1.13 (1.00 to 1.25) × |',
  )
  expect(report).toContain('| added by a never-seen token, to a bare verification | 1.13 × | 1.3 × | kept |')
})
