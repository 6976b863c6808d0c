import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { freePortBase } from '@agentic-rest/testing/free-port-base'
import { isLongSet } from '@agentic-rest/testing/long-set'
import { sharedBrowser } from '@agentic-rest/testing/shared-browser'
import { startServer } from '@agentic-rest/testing/start-server'
import { testUnless } from '@agentic-rest/testing/test-with'
import { afterAll, expect, onTestFinished, vi } from 'vitest'
import { packOnce, repositoryRoot } from '../tools/packed-packages.ts'
import { openConsole } from './console/console-browser.ts'
import { fillIn, send, untilEnded } from './console/try-flow.ts'
import {
  adapted,
  followReadme,
  runCommand,
  startCommand,
  strangersEnvironment,
  type WrittenProject,
} from './init-project.ts'
import { followTutorial } from './tutorial.ts'

// The first test builds eight packages and downloads a hundred, on a machine that may be busy with others.
vi.setConfig({ testTimeout: 600_000 })

const REGISTRY = 'https://registry.npmjs.org'
const hasRegistry = await fetch(`${REGISTRY}/zod/latest`, { signal: AbortSignal.timeout(10_000) }).then(
  ({ ok }) => ok,
  () => false,
)

const work = mkdtempSync(join(tmpdir(), 'agentic-init-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))
// npm removes its logs beyond ten by default, and a test reads them all.
const env: NodeJS.ProcessEnv = {
  ...strangersEnvironment(join(work, 'npm-cache')),
  npm_config_logs_max: '1000',
}
const folder = join(work, 'my-agent')

const readManifest = (place: string) => JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
const firstWords = (command: string) => command.split(' ').slice(0, 4).join(' ')

/** A test that needs the package registry. */
function testWithRegistry(title: string, run: () => Promise<void>): void {
  testUnless(hasRegistry ? undefined : `${REGISTRY} is out of reach`, title, run)
}

/** The tutorial goes the same way; each of these tests installs another project. */
function longTestWithRegistry(title: string, run: () => Promise<void>): void {
  if (isLongSet) testWithRegistry(title, run)
}

testWithRegistry('from a clone and an empty npm cache, the tutorial leads to a finished agent', async () => {
  const portBase = await freePortBase()
  const ports = { ...env, SERVICE_PORT: String(portBase + 1) }
  // `agentic init` finds the tarballs, as at a second call.
  await packOnce()
  const { project, seconds, linesOfCode } = await followTutorial({ work, portBase, env: ports })
  await approveInConsole(portBase)
  expect(npmHosts(join(work, 'npm-cache'))).toEqual(new Set([new URL(REGISTRY).host]))
  const total = [...seconds.values()].reduce((sum, each) => sum + each, 0)
  const slow = [...seconds]
    .filter(([, each]) => each > 5)
    .map(([command, each]) => `${firstWords(command)} ${each.toFixed(0)} s`)
  process.stderr.write(
    `tutorial: ${total.toFixed(0)} s of commands (${slow.join(', ')}), ${linesOfCode} lines of code\n`,
  )
  expect(readdirSync(project)).toContain('vendor')
})

/** The role of the project's own approves by mouse. */
async function approveInConsole(portBase: number): Promise<void> {
  const browser = await sharedBrowser()
  onTestFinished(() => browser.close())
  const { page } = await openConsole(browser, `http://127.0.0.1:${portBase + 10}`, {
    theme: 'light',
    width: 1280,
  })
  await fillIn(page, { route: 'book-trip', person: 'alice', body: { city: 'tokyo', nights: 4 } })
  const exchange = await send(page)
  await exchange.getByRole('button', { name: 'Approve as dana' }).click()
  await untilEnded(exchange)
  await exchange.getByText('201 created').waitFor()
}

/** The hosts that npm asked, by its logs. */
function npmHosts(cache: string): Set<string> {
  const logs = globSync(join(cache, '_logs/*.log')).map((file) => readFileSync(file, 'utf8'))
  const found = logs.flatMap((log) => [...log.matchAll(/http fetch \w+ \d+ (https?:\S+)/g)])
  return new Set(found.map(([, url = '']) => new URL(url).host))
}

longTestWithRegistry('from a clone, a project does all its README says', async () => {
  const root = { folder: repositoryRoot, env }
  const written = await runCommand(`npx agentic init ${folder}`, root)
  expect(written).toMatch(/Written\. Next:\n {2}cd .*\n {2}npm install\n {2}npm start\n/)
  expect(readManifest(folder)).toMatchObject({
    dependencies: { '@agentic-rest/service': expect.stringMatching(/^file:vendor\/.*\.tgz$/) },
    devDependencies: { 'agentic-rest': expect.stringMatching(/^file:vendor\/.*\.tgz$/) },
  })
  const portBase = await freePortBase()
  const project: WrittenProject = { folder, env, portBase }
  const printed = await followReadme(project)
  expect([...printed.keys()].map(firstWords)).toEqual([
    'npm install',
    'npm test',
    'npm run typecheck',
    'npm run check',
    'npm start',
    'npx agentic call POST',
    'npx agentic call POST',
    'npx agentic call POST',
    'npm run conformance',
  ])
  expect(await runCommand('npx node --version', project)).toMatch(/^v24\./m)
  const outputs = [...printed.values()]
  expect(outputs[1]).toMatch(/\bpass 15\n.*fail 0\n/)
  expect(outputs[5]).toMatch(/^200 success /m)
  expect(outputs[6]).toMatch(/^201 created /m)
  expect(outputs[7]).toMatch(/^201 created /m)
  expect(outputs[8]).toMatch(/9 of 10 outcomes observed\n.* 0 failed/)
  await approve(project)
})

/** A role of the project's own approves: the call of alice waits for dave. */
async function approve(project: WrittenProject): Promise<void> {
  const call = `npx agentic call POST /orders/o-2/refunds --token "$(npx agentic token)" --data '{"reason":"late"}'`
  const waiting = startCommand(adapted(call, project), 'Waiting for the decision', project)
  const [, location] = /(\/approvals\/[\w-]+)/.exec(await waiting.ready) ?? []
  const decide = `npx agentic call POST ${location}/approve --token "$(npx agentic token --sub dave)"`
  expect(await runCommand(adapted(decide, project), project)).toMatch(/^200 success /m)
  expect(await waiting.ended.catch(String)).toMatch(/^201 created (?:.*\n)*.*"approvedBy": "dave"/m)
}

longTestWithRegistry(
  'once the packages are published, its README leads to plain versions, on Node 24 too',
  async () => {
    expect(existsSync(join(folder, 'vendor'))).toBe(true)
    const registry = await publishedRegistry(join(folder, 'vendor'))
    const path = [dirname(process.execPath), env['PATH']].join(delimiter)
    const later = { ...env, PATH: path, npm_config_registry: registry }
    expect(await runCommand('node --version', { folder, env: later })).toMatch(/^v24\./)
    await followReadme({ folder, env: later, portBase: 0 }, 'sh later')
    const { version } = readManifest(join(repositoryRoot, 'packages/cli'))
    const { overrides, dependencies, devDependencies } = readManifest(folder)
    expect([overrides, dependencies['@agentic-rest/service'], devDependencies['agentic-rest']]).toEqual([
      undefined,
      version,
      version,
    ])
    expect(existsSync(join(folder, 'vendor'))).toBe(false)
    expect(readFileSync(join(folder, 'package-lock.json'), 'utf8')).not.toContain('file:')
    expect(await runCommand('npm run check', { folder, env: later })).toContain('gateway.yaml is valid')
  },
)

/** A registry that has the packed packages and sends requests for all others to the public one. */
async function publishedRegistry(tarballs: string): Promise<string> {
  const { url: address } = await startServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '')
    const answer = answers.get(path)
    if (answer !== undefined) response.end(answer)
    else response.writeHead(302, { Location: `${REGISTRY}${request.url}` }).end()
  })
  const names = Object.keys(readManifest(folder).overrides)
  const packages = [...names, '@agentic-rest/service', 'agentic-rest'].map((name) =>
    readManifest(join(folder, 'node_modules', name)),
  )
  const answers = new Map(packages.flatMap((manifest) => packageAnswers(manifest, tarballs, address)))
  return address
}

interface Published {
  readonly name: string
  readonly version: string
}

/** The tarball of a package, and the document that names it. */
function packageAnswers(
  manifest: Published,
  tarballs: string,
  registry: string,
): [string, Buffer | string][] {
  const { name, version } = manifest
  const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
  const bytes = readFileSync(join(tarballs, file))
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  const published = { ...manifest, dist: { tarball: `${registry}/-/${file}`, integrity } }
  const document = { name, 'dist-tags': { latest: version }, versions: { [version]: published } }
  return [
    [`/${name}`, JSON.stringify(document)],
    [`/-/${file}`, bytes],
  ]
}
