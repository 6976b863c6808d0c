import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { headers as headerNames, outcomes } from '@agentic-rest/profile'
import type { Exchange } from '../exchange.ts'
import type { AdminAnswer } from './answer.ts'

/** The files of the console. */
export interface StaticFiles {
  /** Answers a request for a file; `undefined` when the file does not exist. */
  answer(exchange: Exchange): AdminAnswer | undefined
}

interface StaticFile {
  readonly type: string
  readonly hashed: boolean
  readonly etag: string
  readonly plain: Buffer
  /** Compressed forms from the build, the best first. */
  readonly encoded: readonly { readonly coding: string; readonly bytes: Buffer }[]
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': outcomes.success.mediaType,
  '.map': outcomes.success.mediaType,
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
}

const codings = [
  { coding: 'br', extension: '.br' },
  { coding: 'gzip', extension: '.gz' },
] as const

const HASHED = /^\/assets\/.*-[A-Za-z0-9_-]{8,}\.\w+$/
const NOT_MODIFIED = 304

/** Reads a folder once. Requests are looked up in memory by full path: no requested path reaches the disk. */
export function readStaticFiles(folder: string | undefined): StaticFiles {
  const files = folder === undefined ? new Map<string, StaticFile>() : readFolder(folder)
  return {
    answer({ path, headers }) {
      const file = files.get(path === '/' ? '/index.html' : path)
      return file === undefined ? undefined : answerFile(file, headers)
    },
  }
}

function readFolder(folder: string): Map<string, StaticFile> {
  const names = listFiles(folder)
  const all = new Set(names)
  const isEncoded = (name: string) => codings.some(({ extension }) => name.endsWith(extension))
  const plain = names.filter((name) => !isEncoded(name))
  return new Map(
    plain.map((name) => {
      const path = `/${relative(folder, name).split(sep).join('/')}`
      return [path, readFile(name, path, all)]
    }),
  )
}

/** Symbolic links are skipped: they could lead out of the folder. */
function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const name = join(folder, entry.name)
    if (entry.isDirectory()) return listFiles(name)
    return entry.isFile() ? [name] : []
  })
}

function readFile(name: string, path: string, all: ReadonlySet<string>): StaticFile {
  const plain = readFileSync(name)
  return {
    plain,
    type: types[extname(name)] ?? 'application/octet-stream',
    hashed: HASHED.test(path),
    etag: hash('sha256', plain, 'base64url').slice(0, 22),
    encoded: codings
      .filter(({ extension }) => all.has(name + extension))
      .map(({ coding, extension }) => ({ coding, bytes: readFileSync(name + extension) })),
  }
}

function answerFile(file: StaticFile, headers: Exchange['headers']): AdminAnswer {
  const accepted = acceptedCodings(headers['accept-encoding'])
  const chosen = file.encoded.find(({ coding }) => accepted.includes(coding))
  // Each form is a representation of its own (RFC 9110, section 8.8.3.3).
  const etag = `"${file.etag}${chosen === undefined ? '' : `-${chosen.coding}`}"`
  const own = {
    ETag: etag,
    Vary: 'Accept-Encoding',
    'Cache-Control': file.hashed ? 'private, max-age=31536000, immutable' : 'no-cache',
  }
  if (isKnown(headers['if-none-match'], etag)) return { status: NOT_MODIFIED, headers: own }
  return {
    status: outcomes.success.status,
    headers: {
      ...own,
      [headerNames.contentType]: file.type,
      ...(chosen && { 'Content-Encoding': chosen.coding }),
    },
    body: chosen?.bytes ?? file.plain,
  }
}

function acceptedCodings(header = ''): string[] {
  const codes = header.split(',').map((item) => item.split(';').map((part) => part.trim().toLowerCase()))
  return codes
    .filter(([, weight]) => weight === undefined || !/^q=0(?:\.0*)?$/.test(weight))
    .map(([name = '']) => name)
}

function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
}
