import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sbomFiles } from './sbom.ts'

/** The inputs of an image. */
export interface ImageParts {
  /** The root of the repository. */
  readonly repository: string
  readonly version: string
  /** The folder whose `node_modules` has the packages. */
  readonly installed: string
  /** The folder with the bills of materials of the packages. */
  readonly sboms: string
  /** The new folder of the image, in the OCI layout. */
  readonly destination: string
  /** The path of buildah. */
  readonly buildah: string
}

/** A part of the image that does not come from npm. */
export interface SystemPackage {
  readonly name: string
  readonly version: string
  readonly purl: string
}

/** The folder of licences and bills of materials in the image. */
export const documentsFolder = 'usr/share/doc/agentic-rest'

/** The user of the image. It has no name elsewhere and no rights. */
export const IMAGE_USER = 65_532

/**
 * Builds the image from scratch: Node, the libraries that it loads, the packages, licences and bills of materials. Returns
 * Node and the packages of the distribution; those of npm are in the bill of materials.
 */
export function buildImage(parts: ImageParts): SystemPackage[] {
  const { repository, version, destination, buildah } = parts
  const work = mkdtempSync(join(tmpdir(), 'agentic-image-'))
  // The user of the image is not the owner of its files: it has to be able to read them all.
  const umask = process.umask(0o022)
  try {
    const packages = assembleRoot(join(work, 'root'), parts)
    const storage = [
      '--root',
      join(work, 'storage'),
      '--runroot',
      join(work, 'run'),
      '--storage-driver',
      'vfs',
    ]
    const file = join(repository, 'deploy/image/Containerfile.scratch')
    // Neither a registry nor a container runtime is needed.
    const options = [
      '--isolation',
      'chroot',
      '--disable-compression=false',
      '--build-arg',
      `VERSION=${version}`,
    ]
    const output = ['-f', file, '-t', `oci:${destination}:${version}`, work]
    execFileSync(buildah, [...storage, 'build', '-q', ...options, ...output], { stdio: 'pipe' })
    return packages
  } finally {
    process.umask(umask)
    rmSync(work, { recursive: true, force: true })
  }
}

/** Writes the file system of the image; returns its parts that do not come from npm. */
function assembleRoot(root: string, parts: ImageParts): SystemPackage[] {
  const node = realpathSync(process.execPath)
  const libraries = librariesOf(node)
  copyInto(root, 'usr/local/bin/node', node)
  for (const library of libraries) copyInto(root, library, library)
  mkdirSync(join(root, 'opt/agentic'), { recursive: true })
  execFileSync('cp', ['-a', join(parts.installed, 'node_modules'), join(root, 'opt/agentic')])
  execFileSync('chmod', ['-R', 'a+rX', join(root, 'opt/agentic')])
  const entry = '/opt/agentic/node_modules/agentic-rest/bin/agentic.cjs'
  // There is no /usr/bin/env, which the program of npm needs.
  writeInto(root, 'usr/local/bin/agentic', `#!/usr/local/bin/node\nrequire('${entry}')\n`)
  chmodSync(join(root, 'usr/local/bin/agentic'), 0o755)
  writeInto(root, 'etc/passwd', `agentic:x:${IMAGE_USER}:${IMAGE_USER}::/:/usr/local/bin/agentic\n`)
  writeInto(root, 'etc/group', `agentic:x:${IMAGE_USER}:\n`)
  writeInto(root, 'etc/nsswitch.conf', 'hosts: files dns\n')
  for (const folder of ['etc/agentic', 'proc', 'dev', 'tmp', 'var/lib/agentic-gateway'])
    mkdirSync(join(root, folder), { recursive: true })
  chmodSync(join(root, 'tmp'), 0o1777)
  return addDocuments(root, { ...parts, node, libraries })
}

interface Origin extends ImageParts {
  readonly node: string
  readonly libraries: readonly string[]
}

/** Licences, and bills of materials that include Node and the libraries. */
function addDocuments(root: string, { repository, sboms, node, libraries }: Origin): SystemPackage[] {
  const documents = join(root, documentsFolder)
  const nodeLicence = join(dirname(node), '../LICENSE')
  copyInto(documents, 'LICENSE', join(repository, 'LICENSE'))
  copyInto(documents, 'licences.md', join(repository, 'docs/licences.md'))
  if (existsSync(nodeLicence)) copyInto(documents, 'node/LICENSE', nodeLicence)
  const found = debianPackages(libraries)
  for (const { name } of found)
    copyInto(documents, `${name}/copyright`, `/usr/share/doc/${name.split(':')[0]}/copyright`)
  const version = process.versions.node
  const packages = [{ name: 'node', version, purl: `pkg:generic/node@${version}` }, ...found]
  const sbom = JSON.parse(readFileSync(join(sboms, sbomFiles.cyclonedx), 'utf8')) as { components: object[] }
  const components = [...sbom.components, ...packages.map((each) => ({ type: 'library', ...each }))]
  writeInto(documents, sbomFiles.cyclonedx, `${JSON.stringify({ ...sbom, components }, null, 2)}\n`)
  return packages
}

/** The Debian packages of libraries; none on another distribution. */
function debianPackages(libraries: readonly string[]): SystemPackage[] {
  if (!existsSync('/usr/bin/dpkg-query')) return []
  const query = (...args: string[]) => execFileSync('dpkg-query', args, { encoding: 'utf8', stdio: 'pipe' })
  // Folders such as /lib may be links; the database has one of both names.
  const owners = libraries.flatMap((library) =>
    [realpathSync(library), library].flatMap((path) => {
      try {
        return query('-S', path).split(': ')[0]?.split(':')[0] ?? []
      } catch {
        return []
      }
    }),
  )
  return [...new Set(owners)].toSorted().map((name) => {
    const [version = ''] = query('-W', '-f', '$' + '{Version}\n', name).split('\n')
    return { name, version, purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}` }
  })
}

/** The libraries that a program loads, with the loader itself. */
function librariesOf(program: string): string[] {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' })
  return [...listed.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path = '']) => path)
}

function copyInto(root: string, path: string, source: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  copyFileSync(source, join(root, path))
}

function writeInto(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
