import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { freePortBase } from '@agentic-rest/testing/free-port-base'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parts } from '../examples/stack/src/parts.ts'
import { readLock } from '../tools/locked-packages.ts'
import {
  type Ended,
  importPaths,
  installTogether,
  type Packed,
  packAll,
  repositoryRoot,
  run,
} from '../tools/packed-packages.ts'
import { provenanceFiles } from '../tools/provenance.ts'
import { describeRelease, sumsFile } from '../tools/release.ts'
import { sbomFiles } from '../tools/sbom.ts'
import { publishedWorkspaces } from '../tools/workspaces.ts'
import { type DescribedRelease, testImage } from './deploy/image-tests.ts'
import { packagePrograms } from './package-programs.ts'

const names = publishedWorkspaces(repositoryRoot).map(({ folder, manifest }) => manifest.name ?? folder)

// These run without Node, so their types must not need Node's.
const runsInBrowsers = new Set(['@agentic-rest/profile', '@agentic-rest/client'])

const strictConsumer = {
  target: 'ES2024',
  lib: ['ES2024', 'DOM', 'DOM.Iterable'],
  module: 'nodenext',
  strict: true,
  skipLibCheck: false,
  resolveJsonModule: true,
  noEmit: true,
  typeRoots: [join(repositoryRoot, 'node_modules/@types')],
}

/** The entries of these packages that write files. */
const needsNode: ReadonlySet<string> = new Set(
  ['key-set', 'span'].map((entry) => `@agentic-rest/profile/${entry}`),
)

type TypeGroup = 'browser' | 'node'

const typesOf: Readonly<Record<TypeGroup, readonly string[]>> = { browser: [], node: ['node'] }

const work = mkdtempSync(join(tmpdir(), 'agentic-packing-'))
const consumer = join(work, 'consumer')
let packages: ReadonlyMap<string, Packed>
let installation: Ended

beforeAll(async () => {
  const packed = await packAll(join(work, 'tarballs'))
  packages = new Map(packed.map((each) => [each.name, each]))
  installation = installTogether(
    consumer,
    packed.filter(({ packing }) => packing.status === 0),
  )
}, 600_000)

afterAll(() => rmSync(work, { recursive: true, force: true }))

test('there is something to publish', () => {
  expect(names).toContain('@agentic-rest/profile')
})

test('the packages install together into an empty folder', () => {
  expect(installation.status, installation.output).toBe(0)
})

test('npm pack alone is refused with the command that builds', () => {
  const folder = join(repositoryRoot, 'packages/profile')
  const { status, output } = run('npm', ['pack'], folder)
  expect(status).not.toBe(0)
  expect(output).toContain('npm pack makes no build here, use: npm run release -- FOLDER')
  expect(readdirSync(folder).filter((file) => file.endsWith('.tgz'))).toEqual([])
})

describe.each(names)('%s', (name) => {
  test('packs, with its build and without its tests', () => {
    expect(packages.get(name)?.packing, packages.get(name)?.packing.output).toMatchObject({ status: 0 })
    const files = installedFiles(name)
    expect(files).toContain('dist/index.js')
    expect(files).toContain('dist/index.d.ts')
    // The template of a project has tests of its own.
    const own = files.filter((file) => !file.startsWith('template/'))
    expect(own.filter((file) => /\.test\.|(^|\/)test\/|\.tsbuildinfo$/.test(file))).toEqual([])
  })

  test('carries the licence of the repository', () => {
    const [own, ours] = [join(installedFolder(name), 'LICENSE'), join(repositoryRoot, 'LICENSE')]
    expect(existsSync(own), `copy LICENSE to the folder of ${name}`).toBe(true)
    expect(readFileSync(own, 'utf8')).toBe(readFileSync(ours, 'utf8'))
  })

  test('runs a small program', () => {
    const program = packagePrograms.get(name)
    if (program === undefined) expect.fail(`add a program that uses ${name} to tests/package-programs.ts`)
    const output = program.output.map((line) => `${line}\n`).join('')
    expect(runInConsumer('program.mjs', program.source)).toEqual({ status: 0, output })
  })

  test('every export path imports under plain node', () => {
    const paths = pathsOf(name)
    const program = paths.map(importLine).join('\n')
    const ended = runInConsumer('import-all.mjs', program)
    expect(ended.output.trim().split('\n')).toEqual(paths.map((path) => `imported ${path}`))
    expect(paths).toContain(name)
  })

  test('resolves to built JavaScript', () => {
    const ended = runInConsumer('resolve.mjs', `console.log(import.meta.resolve(${JSON.stringify(name)}))`)
    expect(ended.output).toMatch(new RegExp(`/consumer/node_modules/${name}/dist/index\\.js\n$`))
  })

  test('publint finds nothing to complain about', async () => {
    const tarball = readFileSync(packages.get(name)?.tarball ?? '')
    const { messages, pkg } = await publint({ strict: true, pack: { tarball: toArrayBuffer(tarball) } })
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([])
  })
})

test('the gateway is built into a few files of its own code, and each leads to its published source', () => {
  const folder = installedFolder('@agentic-rest/gateway')
  const files = installedFiles('@agentic-rest/gateway').filter((file) => file.startsWith('dist/'))
  const [programs = [], maps = []] = ['.js', '.js.map'].map((end) =>
    files.filter((file) => file.endsWith(end)),
  )
  const own = programs.filter((file) => !/\/(third-party|rolldown-runtime)\.js$/.test(file))
  expect(own.length).toBeLessThan(10)
  expect(programs.length - own.length).toBe(2)
  expect(maps).toEqual(own.map((file) => `${file}.map`))
  for (const map of maps) {
    const { sources } = JSON.parse(readFileSync(join(folder, map), 'utf8')) as { sources: string[] }
    const found = sources.map((source) => relative(folder, join(folder, dirname(map), source)))
    expect(found.filter((file) => !/^src\/.*\.ts$/.test(file) || !existsSync(join(folder, file)))).toEqual([])
    expect(found).not.toEqual([])
  }
  // Otherwise V8 needs twice the memory for it.
  for (const file of programs) expect(readFileSync(join(folder, file), 'latin1')).toMatch(/^[\0-\x7f]*$/)
})

test('the gateway names the packages whose code it contains: versions that are installed beside it', () => {
  const notices = readFileSync(join(installedFolder('@agentic-rest/gateway'), 'dist/third-party.txt'), 'utf8')
  const named = [...notices.matchAll(/^(\S+) (\d+\.\d+\.\d+) \((?:MIT|ISC|BlueOak-1\.0\.0)\)$/gm)]
  const versions = Object.fromEntries(named.map(([, name = '', version]) => [name, version]))
  expect(Object.keys(versions)).toEqual(expect.arrayContaining(['find-my-way', 'lru-cache', 'yaml', 'zod']))
  const versionOf = (name: string) =>
    JSON.parse(readFileSync(join(installedFolder(name), 'package.json'), 'utf8')).version
  for (const [name, version] of Object.entries(versions))
    expect([name, versionOf(name)]).toEqual([name, version])
})

test.each(Object.keys(typesOf) as TypeGroup[])(
  'the types of packages for %s resolve for a strict consumer',
  (group) => {
    expect(names.map((name) => groupOf(name, name))).toContain(group)
    expect(typeCheck(group)).toEqual({ status: 0, output: '' })
  },
)

test('the author of a plugin has types from the package alone', () => {
  const examples = ['office-hours.ts', 'cost-centre.ts']
  for (const file of examples) copyFileSync(join(repositoryRoot, 'docs/examples', file), join(consumer, file))
  const wrong = readFileSync(join(consumer, 'office-hours.ts'), 'utf8')
    .replace("type: 'forbidden'", "type: 'forbiden'")
    .replace('create({ opens,', 'create({ open: opens,')
  writeFileSync(join(consumer, 'wrong-hours.ts'), wrong)
  const files = [...examples, 'wrong-hours.ts']
  writeFileSync(
    join(consumer, 'tsconfig.plugins.json'),
    JSON.stringify({ compilerOptions: { ...strictConsumer, types: typesOf.node }, files }),
  )
  const options = ['-p', 'tsconfig.plugins.json', '--pretty', 'false', '--singleThreaded']
  const { status, output } = run(join(repositoryRoot, 'node_modules/.bin/tsc'), options, consumer)
  expect(status).not.toBe(0)
  // All others are right; the details of a fault are indented.
  expect(
    output
      .trimEnd()
      .split('\n')
      .filter((line) => !/^(?:wrong-hours\.ts\(|\s)/.test(line)),
  ).toEqual([])
  expect(output).toContain("Property 'open' does not exist")
  expect(output).toContain('"forbiden"')
})

test('a release is not written over other files', () => {
  const program = ['--conditions=agentic-source', 'tools/release.ts']
  const tell = (...args: string[]) => run(process.execPath, [...program, ...args], repositoryRoot)
  const folder = mkdtempSync(join(work, 'full-'))
  writeFileSync(join(folder, 'notes.txt'), '')
  const { status, output } = tell(folder)
  expect([status, output]).toEqual([
    2,
    `${folder} is not empty: name a folder that is empty or does not exist\n`,
  ])
  expect(tell('--help')).toEqual({ status: 0, output: expect.stringContaining('release/VERSION by default') })
})

describe('what describes a release', () => {
  const tarballs = join(work, 'tarballs')
  const read = (file: string) => JSON.parse(readFileSync(join(tarballs, file), 'utf8'))
  let installed: string[]
  let image: DescribedRelease['image']

  beforeAll(() => {
    image = describeRelease(tarballs, consumer)
    installed = Object.keys(JSON.parse(readLock(consumer)).packages)
      .filter((path) => existsSync(join(consumer, path, 'package.json')) && path !== '')
      .map((path) => JSON.parse(readFileSync(join(consumer, path, 'package.json'), 'utf8')))
      .map(({ name, version }) => `${name}@${version}`)
  })

  test('is a bill of materials in CycloneDX, with all installed packages and licences', () => {
    const { bomFormat, components } = read(sbomFiles.cyclonedx) as CycloneDx
    expect(bomFormat).toBe('CycloneDX')
    expect(new Set(components.map((each) => each['bom-ref']))).toEqual(new Set(installed))
    expect(components.filter(({ licenses }) => licenses === undefined)).toEqual([])
  })

  test('and one in SPDX', () => {
    const { spdxVersion, packages: listed } = read(sbomFiles.spdx) as Spdx
    expect(spdxVersion).toMatch(/^SPDX-2\.\d$/)
    const described = listed.map(({ name, versionInfo }) => `${name}@${versionInfo}`)
    expect(described).toEqual(expect.arrayContaining(installed))
  })

  test('names no folder of the machine that made it', () => {
    const files = [...Object.values(sbomFiles), ...Object.values(provenanceFiles), 'package-lock.json']
    for (const text of files.map((file) => readFileSync(join(tarballs, file), 'utf8')))
      for (const folder of [tmpdir(), repositoryRoot, '"name": "consumer"'])
        expect(text).not.toContain(folder)
  })

  test('lists our packages and third-party packages without network and checkout', () => {
    expect(installed).toEqual(expect.arrayContaining([expect.stringMatching(/^jose@/), ...ownVersions()]))
    expect(installed.filter((each) => /^(vitest|@biomejs|typescript@)/.test(each))).toEqual([])
  })

  test('has the sum of every file', () => {
    const listed = readFileSync(join(tarballs, sumsFile), 'utf8').trimEnd().split('\n')
    expect(listed.map((line) => line.slice(66))).toEqual(
      filesIn(tarballs).filter((file) => file !== sumsFile),
    )
    expect(run('sha256sum', ['--check', '--quiet', sumsFile], tarballs)).toEqual({ status: 0, output: '' })
  })

  test('has a lock file, with which npm ci installs the same packages from the same folder', () => {
    const { packages: locked } = read('package-lock.json') as {
      packages: Record<string, { resolved?: string; integrity?: string }>
    }
    const entries = Object.entries(locked).filter(([path]) => path !== '')
    expect(entries.filter(([, { integrity }]) => integrity === undefined)).toEqual([])
    const own = entries.flatMap(([, { resolved }]) =>
      resolved?.startsWith('file:') ? [resolved.slice(5)] : [],
    )
    expect(own.toSorted()).toEqual(filesIn(tarballs).filter((file) => file.endsWith('.tgz')))
    expect(Object.values(read('package.json').dependencies).toSorted()).toEqual(
      own.map((file) => `file:${file}`).toSorted(),
    )
  })

  test('says how it was made', () => {
    const { subject, predicateType } = read(provenanceFiles.statement) as {
      subject: readonly { name: string }[]
      predicateType: string
    }
    expect(predicateType).toBe('https://slsa.dev/provenance/v1')
    expect(subject.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['package-lock.json', 'sbom.cdx.json', 'agentic-rest-0.1.0.tgz']),
    )
    expect(readFileSync(join(tarballs, provenanceFiles.notes), 'utf8')).toMatch(
      /^\| dependencies \| package-lock\.json/m,
    )
  })

  testImage(() => ({ folder: tarballs, image }))
})

test('every program belongs to a published package', () => {
  expect(names).toEqual(expect.arrayContaining([...packagePrograms.keys()]))
})

describe('the command agentic', () => {
  test('prints its version', () => {
    const { version } = JSON.parse(
      readFileSync(join(installedFolder('agentic-rest'), 'package.json'), 'utf8'),
    )
    const output = `agentic ${version} (profile v0.3, Node ${process.version})\n`
    expect(runAgentic(['--version'])).toEqual({ status: 0, output })
  })

  test('tells a valid file from an invalid one', () => {
    copyFileSync(join(repositoryRoot, 'docs/examples/full-gateway.yaml'), join(consumer, 'full.yaml'))
    writeFileSync(
      join(consumer, 'bad.yaml'),
      'gateway: { port: 80800 }\nplugins: { token-validator: { mode: off }, tenant-injector: { trust_header: everyone } }\n',
    )
    expect(runAgentic(['check', 'full.yaml'])).toEqual({ status: 0, output: 'full.yaml is valid\n' })
    expect(runAgentic(['check', 'bad.yaml'])).toEqual({
      status: 2,
      output:
        'bad.yaml:1:1: routes: is required\nbad.yaml:1:18: gateway.port: expected an integer from 0 to 65535, got 80800\n',
    })
  })

  test('starts a gateway, which drains and ends when it is told to', async () => {
    const text =
      '{ gateway: { port: 0 }, plugins: { token-validator: { mode: off }, tenant-injector: { trust_header: everyone } }, routes: [] }'
    writeFileSync(join(consumer, 'start.yaml'), text)
    const child = spawn(process.execPath, [agenticPath(), 'start', '-c', 'start.yaml'], { cwd: consumer })
    onTestFinished(() => void child.kill('SIGKILL'))
    const messages: unknown[] = []
    for await (const line of createInterface(child.stderr)) {
      const { level, msg, port } = JSON.parse(line)
      if (level === 'info') messages.push(msg)
      if (port === undefined) continue
      expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
      child.kill('SIGTERM')
    }
    expect(messages).toEqual(['the gateway is listening', 'SIGTERM received', 'draining', 'drained'])
    expect(child.exitCode ?? (await once(child, 'close'))[0]).toBe(0)
  })

  test('loads few files for a start, and nothing that the configuration does not use', async () => {
    writeFileSync(
      join(consumer, 'plain.yaml'),
      '{ gateway: { port: 0 }, plugins: { token-validator: { mode: off }, tenant-injector: { trust_header: everyone } }, routes: [] }',
    )
    writeFileSync(
      join(consumer, 'list-loaded.cjs'),
      `const loaded = []
require('node:module').registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
process.on('exit', () => console.log(JSON.stringify([...loaded, ...process.moduleLoadList])))`,
    )
    const args = ['--require', './list-loaded.cjs', agenticPath(), 'start', '-c', 'plain.yaml']
    const child = spawn(process.execPath, args, { cwd: consumer, stdio: ['ignore', 'pipe', 'pipe'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const printed = child.stdout.setEncoding('utf8').toArray()
    for await (const line of createInterface(child.stderr)) {
      const { port } = JSON.parse(line)
      if (port === undefined) continue
      expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
      child.kill('SIGTERM')
    }
    const loaded = JSON.parse((await printed).join('')) as string[]
    const files = loaded
      .filter((url) => url.startsWith('file:'))
      .map((url) => url.split('/node_modules/').at(-1))
    expect(files.length).toBeLessThan(30)
    expect(
      files.filter(
        (file) => !/^(agentic-rest|@agentic-rest\/(audit-log|gateway|http1|profile))\//.test(file ?? ''),
      ),
    ).toEqual([])
    const late = ['http', 'http2', 'https', 'tls', 'zlib', 'internal/deps/undici/undici']
    expect(late.filter((name) => loaded.includes(`NativeModule ${name}`))).toEqual([])
  })

  test('starts a gateway of two workers, which answer with the metrics of both', async () => {
    const text =
      '{ gateway: { port: 0, workers: 2 }, plugins: { token-validator: { mode: off }, tenant-injector: { trust_header: everyone } }, routes: [] }'
    writeFileSync(join(consumer, 'workers.yaml'), text)
    const child = spawn(process.execPath, [agenticPath(), 'start', '-c', 'workers.yaml'], { cwd: consumer })
    onTestFinished(() => void child.kill('SIGKILL'))
    const messages: unknown[] = []
    for await (const line of createInterface(child.stderr)) {
      const { msg, port } = JSON.parse(line)
      messages.push(msg)
      if (port === undefined) continue
      const metrics = await fetch(`http://127.0.0.1:${port}/metrics`)
      expect([metrics.status, await metrics.text()]).toEqual([
        200,
        expect.stringMatching(/^agentic_\w+(\{.*\})? \d/m),
      ])
      child.kill('SIGTERM')
    }
    expect(messages.filter((message) => message === 'drained')).not.toEqual([])
    expect(child.exitCode ?? (await once(child, 'close'))[0]).toBe(0)
  })

  test('dev runs the whole reference stack in an empty folder', async () => {
    const portBase = await freePortBase()
    const folder = join(work, 'anywhere')
    mkdirSync(folder)
    const args = ['dev', '--memory', '--port-base', String(portBase)]
    const child = spawn(agenticPath(), args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const closed = once(child, 'close')
    const printed = await printedUntil(child.stdout, /Read a text as a stream/)
    const listed = [...printed.matchAll(/^ {2}(\S+) +http:\S+ +process \d+/gm)].map(([, name]) => name)
    expect(listed).toEqual(parts.map(({ name }) => name))
    const token = /^ {2}(eyJ\S+)$/m.exec(printed)?.[1]
    for (const path of ['/products/prd-123/recommendations', '/campaigns/cmp-123/optimizations']) {
      const answer = await fetch(`http://127.0.0.1:${portBase}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(path.startsWith('/campaigns') ? { goal: 'ctr' } : {}),
      })
      expect([path, answer.status]).toEqual([path, 201])
    }
    child.kill('SIGTERM')
    expect((await closed)[0]).toBe(0)
    expect(readdirSync(folder)).toEqual([])
  })

  test('init without a clone uses the tarballs of its installation', () => {
    const folder = join(work, 'my-agent')
    const { status, output } = runAgentic(['init', folder, '--packages', 'vendor'])
    expect([status, output]).toEqual([0, expect.stringContaining('Written. Next:')])
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    for (const reference of [dependencies['@agentic-rest/service'], devDependencies['agentic-rest']])
      expect(existsSync(join(folder, reference.replace('file:', '')))).toBe(true)
    const template = join(repositoryRoot, 'packages/cli/template/test')
    expect(readdirSync(join(folder, 'test')).toSorted()).toEqual(readdirSync(template).toSorted())
    expect(runAgentic(['check', join(folder, 'gateway.yaml'), '--strict'])).toMatchObject({ status: 0 })
  })
})

interface CycloneDx {
  readonly bomFormat: string
  readonly components: readonly { readonly 'bom-ref': string; readonly licenses?: unknown }[]
}

interface Spdx {
  readonly spdxVersion: string
  readonly packages: readonly { readonly name: string; readonly versionInfo: string }[]
}

function ownVersions(): string[] {
  return publishedWorkspaces(repositoryRoot).map(({ manifest }) => `${manifest.name}@${manifest.version}`)
}

async function printedUntil(stream: Readable, pattern: RegExp): Promise<string> {
  let printed = ''
  for await (const text of stream.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    printed += text
    if (pattern.test(printed)) break
  }
  // Later output is not read, and a full pipe must not stop the program.
  stream.resume()
  return printed
}

function agenticPath(): string {
  return join(consumer, 'node_modules/.bin/agentic')
}

// Like npx: the link created by npm, which must be executable and have an interpreter line.
function runAgentic(args: readonly string[]): Ended {
  return run(agenticPath(), args, consumer)
}

function installedFolder(name: string): string {
  return join(consumer, 'node_modules', name)
}

function installedFiles(name: string): string[] {
  return filesIn(installedFolder(name))
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted()
}

function pathsOf(name: string): string[] {
  const { exports } = JSON.parse(readFileSync(join(installedFolder(name), 'package.json'), 'utf8'))
  return importPaths(name, installedFiles(name), exports)
}

function importLine(path: string): string {
  const attributes = path.endsWith('.json') ? ", { with: { type: 'json' } }" : ''
  return `await import('${path}'${attributes}); console.log('imported ${path}')`
}

function runInConsumer(file: string, source: string): Ended {
  writeFileSync(join(consumer, file), source)
  return run(process.execPath, [file], consumer)
}

/** Checks the packages of a group together, so that shared libraries are checked once. */
function typeCheck(group: TypeGroup): Ended {
  const files = names.flatMap((name, index) => {
    const paths = pathsOf(name).filter((path) => groupOf(name, path) === group)
    return paths.length === 0 ? [] : [writeTypeImports(paths, `types-${group}-${index}.ts`)]
  })
  const project = { compilerOptions: { ...strictConsumer, types: typesOf[group] }, files }
  writeFileSync(join(consumer, `tsconfig.${group}.json`), JSON.stringify(project))
  const options = ['-p', `tsconfig.${group}.json`, '--pretty', 'false', '--singleThreaded']
  return run(join(repositoryRoot, 'node_modules/.bin/tsc'), options, consumer)
}

function writeTypeImports(paths: readonly string[], file: string): string {
  const imports = paths.map((path, at) => {
    const attributes = path.endsWith('.json') ? " with { type: 'json' }" : ''
    const binding = path.endsWith('.json') ? `m${at}` : `* as m${at}`
    return `import ${binding} from '${path}'${attributes}\nexport const e${at}: object = m${at}`
  })
  writeFileSync(join(consumer, file), imports.join('\n'))
  return file
}

function groupOf(name: string, path: string): TypeGroup {
  return runsInBrowsers.has(name) && !needsNode.has(path) ? 'browser' : 'node'
}

function toArrayBuffer({ buffer, byteOffset, byteLength }: Buffer): ArrayBuffer {
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
}
