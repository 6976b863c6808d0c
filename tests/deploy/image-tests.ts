import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { missingPrograms } from '@agentic-rest/testing/programs'
import { startServer } from '@agentic-rest/testing/start-server'
import { testUnless } from '@agentic-rest/testing/test-with'
import { expect, onTestFinished } from 'vitest'
import { documentsFolder, IMAGE_USER, type SystemPackage } from '../../tools/image.ts'
import { versionsOf } from '../../tools/provenance.ts'
import { imageFolder } from '../../tools/release.ts'

/** A described release: its folder and the parts of its image that do not come from npm. */
export interface DescribedRelease {
  readonly folder: string
  readonly image: readonly SystemPackage[] | undefined
}

/** The tests of the image of a release. The packing test calls them with its packages: to pack again takes a minute. */
export function testImage(released: () => DescribedRelease): void {
  testUnless(
    process.getuid?.() === 0 ? missingPrograms(['buildah']) : 'only root can build and start an image',
    'a gateway of the image starts on a read-only root without rights, serves, drains and ends',
    async () => {
      const { folder, image } = released()
      const root = unpack(join(folder, imageFolder))
      tellSizes(root, image)
      expect(root.config).toMatchObject({
        User: `${IMAGE_USER}:${IMAGE_USER}`,
        Entrypoint: ['agentic'],
        Cmd: ['start', '-c', '/etc/agentic/gateway.yaml', '--watch'],
        ExposedPorts: { '8080/tcp': {} },
      })
      expectDocuments(root.folder, image)
      const { url } = await startServer((_request, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"from":"service"}'),
      )
      const gateway = startIn(root.folder, url)
      const port = await gateway.port
      const health = await inRoot(root.folder, ['health', '--url', `http://127.0.0.1:${port}`])
      expect(health).toEqual({ code: 0, stdout: 'ready\n', stderr: '' })
      const answer = await fetch(`http://127.0.0.1:${port}/items/1`, { headers: { 'X-Tenant-ID': 'acme' } })
      expect([answer.status, await answer.json()]).toEqual([200, { from: 'service' }])
      const status = readFileSync(`/proc/${gateway.pid}/status`, 'utf8')
      expect(/^Uid:\s+(\d+)\s+(\d+)/m.exec(status)?.slice(1)).toEqual([`${IMAGE_USER}`, `${IMAGE_USER}`])
      expect(/^CapEff:\s+(\w+)/m.exec(status)?.[1]).toBe('0000000000000000')
      expect(await gateway.stop()).toEqual({
        code: 0,
        messages: expect.arrayContaining(['draining', 'drained']),
      })
      const gone = await inRoot(root.folder, ['health', '--url', `http://127.0.0.1:${port}`])
      expect(gone).toMatchObject({ code: 1, stdout: '' })
    },
  )
}

interface Unpacked {
  readonly folder: string
  readonly config: unknown
  /** Of the layers, compressed. */
  readonly bytes: number
}

/** Unpacks the layers of an image in the OCI layout, as a container runtime does. */
function unpack(layout: string): Unpacked {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-image-root-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  const blob = (digest: string) => join(layout, 'blobs', digest.replace(':', '/'))
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
  const [{ digest }] = read(join(layout, 'index.json')).manifests
  const { config, layers } = read(blob(digest)) as {
    config: { digest: string }
    layers: readonly { digest: string; size: number }[]
  }
  for (const layer of layers) {
    const { status, stderr } = spawnSync('tar', ['-xf', blob(layer.digest), '-C', folder], {
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, ''])
  }
  return {
    folder,
    config: read(blob(config.digest)).config,
    bytes: layers.reduce((sum, { size }) => sum + size, 0),
  }
}

function tellSizes({ folder, bytes }: Unpacked, image: readonly SystemPackage[] | undefined): void {
  const { stdout } = spawnSync('du', ['-sm', folder], { encoding: 'utf8' })
  const packages = versionsOf(image ?? [])
  process.stderr.write(
    `image: ${Math.round(bytes / 1e6)} MB packed, ${stdout.split('\t')[0]} MB unpacked; ${packages}, and npm packages\n`,
  )
}

function expectDocuments(root: string, image: readonly SystemPackage[] | undefined): void {
  const documents = join(root, documentsFolder)
  const names = image?.map(({ name }) => name) ?? []
  expect(readdirSync(documents).toSorted()).toEqual(
    ['LICENSE', 'licences.md', 'sbom.cdx.json', ...names].toSorted(),
  )
  const { components } = JSON.parse(readFileSync(join(documents, 'sbom.cdx.json'), 'utf8')) as {
    components: readonly { name: string; version: string }[]
  }
  const listed = components.map(({ name, version }) => `${name}@${version}`)
  expect(listed).toContain(`node@${process.versions.node}`)
  expect(listed).toEqual(
    expect.arrayContaining([expect.stringMatching(/^jose@/), expect.stringMatching(/^libc6@/)]),
  )
  const programs = readdirSync(join(root, 'usr/local/bin'))
  expect(programs).toEqual(['agentic', 'node'])
  expect(statSync(join(root, 'tmp')).mode & 0o7777).toBe(0o1777)
}

/** The root read-only, the configuration mounted, the rights of the image's user, nothing of the environment. */
const startScript = `set -e
mount --bind "$1" "$1"
mount --bind "$2" "$1/etc/agentic"
mount -t proc proc "$1/proc"
mount -o remount,bind,ro "$1"
exec chroot --userspec=${IMAGE_USER}:${IMAGE_USER} "$1" /usr/local/bin/agentic start -c /etc/agentic/gateway.yaml --watch
`

const env = { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }

function startIn(root: string, target: string) {
  const config = join(root, '..', `${root.split('/').at(-1)}-config`)
  mkdirSync(config)
  onTestFinished(() => rmSync(config, { recursive: true, force: true }))
  writeFileSync(
    join(config, 'gateway.yaml'),
    JSON.stringify({
      gateway: { port: 0 },
      plugins: { 'token-validator': { mode: 'off' }, 'tenant-injector': { trust_header: 'everyone' } },
      routes: [{ id: 'item', method: 'GET', path: '/items/{id}', target }],
    }),
  )
  const child = spawn('unshare', ['-m', 'sh', '-c', startScript, 'sh', root, config], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const messages: string[] = []
  const { promise: port, resolve, reject } = Promise.withResolvers<number>()
  createInterface(child.stderr).on('line', (line) => {
    if (!line.startsWith('{')) return void messages.push(line)
    const entry = JSON.parse(line) as { msg: string; port?: number }
    messages.push(entry.msg)
    if (entry.port !== undefined) resolve(entry.port)
  })
  const ended = new Promise<number | null>((end) => child.on('close', end))
  void ended.then(() => reject(new Error(`it ended: ${messages.join('\n')}`)))
  const stop = async () => {
    child.kill('SIGTERM')
    return { code: await ended, messages }
  }
  return { pid: child.pid, port, stop }
}

/** Runs the program of the image to its end. */
async function inRoot(root: string, args: readonly string[]) {
  const user = `--userspec=${IMAGE_USER}:${IMAGE_USER}`
  const child = spawn('chroot', [user, root, '/usr/local/bin/agentic', ...args], { env })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  const code = await new Promise<number | null>((end) => child.on('close', end))
  return { code, ...texts }
}
