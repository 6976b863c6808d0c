import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, onTestFinished, test } from 'vitest'
import { parseResponse, sendRaw } from '../harness/raw-client.ts'
import { development, startAdmin } from './harness/start-admin.ts'

const SCRIPT = '/assets/index-B1c2D3e4.js'
const files: Record<string, string | Buffer> = {
  'index.html': '<!doctype html><title>Console</title>',
  'favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'assets/index-B1c2D3e4.js': 'export const a = 1',
  'assets/index-B1c2D3e4.js.br': brotliCompressSync('export const a = 1'),
  'assets/index-B1c2D3e4.js.gz': gzipSync('export const a = 1'),
  'assets/plain.css': 'a { color: red }',
  'data.bin': 'x',
}

function makeFolder(): string {
  const parent = mkdtempSync(join(tmpdir(), 'agentic-console-'))
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  const folder = join(parent, 'page')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  writeFileSync(join(parent, 'secret.txt'), 'a secret')
  symlinkSync('../secret.txt', join(folder, 'link.txt'))
  symlinkSync('..', join(folder, 'up'))
  return folder
}

const start = () => startAdmin({ admin: { development, consoleFolder: makeFolder() } })

test('each file has its type, length and caching headers', async () => {
  const { adminUrl, url } = await start()
  const expected = [
    ['/', 'text/html; charset=utf-8', 'no-cache', files['index.html']],
    ['/index.html', 'text/html; charset=utf-8', 'no-cache', files['index.html']],
    ['/favicon.svg', 'image/svg+xml', 'no-cache', files['favicon.svg']],
    [SCRIPT, 'text/javascript; charset=utf-8', 'private, max-age=31536000, immutable', 'export const a = 1'],
    ['/assets/plain.css', 'text/css; charset=utf-8', 'no-cache', files['assets/plain.css']],
    ['/data.bin', 'application/octet-stream', 'no-cache', 'x'],
  ] as const
  for (const [path, type, cache, content] of expected) {
    const { status, headers, body } = await sendRequest(`${adminUrl}${path}`)
    expect({ path, status, text: body.toString() }).toEqual({ path, status: 200, text: content })
    expect(headers).toMatchObject({
      'content-type': type,
      'cache-control': cache,
      'content-length': String(body.length),
      vary: 'Accept-Encoding',
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
      'x-content-type-options': 'nosniff',
      'content-security-policy':
        `default-src 'self'; connect-src 'self' ${url}; img-src 'self' data:; object-src 'none'; ` +
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    })
  }
})

test('behind a proxy the page gets, and may call, the public address of the gateway', async () => {
  const { adminUrl } = await startAdmin({
    admin: { development, consoleFolder: makeFolder() },
    settings: { hosts: ['console.example'], gateway_url: 'https://api.example' },
  })
  const ask = (path: string) => sendRequest(`${adminUrl}${path}`, { headers: { host: 'console.example' } })
  expect(JSON.parse((await ask('/api/gateway')).body.toString())).toMatchObject({
    gatewayUrl: 'https://api.example',
  })
  expect((await ask('/')).headers['content-security-policy']).toContain(
    "; connect-src 'self' https://api.example; ",
  )
})

test('compressed forms of the build are sent to clients that accept them', async () => {
  const { adminUrl } = await start()
  const ask = (accepted: string) =>
    sendRequest(`${adminUrl}${SCRIPT}`, { headers: { 'accept-encoding': accepted } })
  const br = await ask('gzip, deflate, br')
  expect([br.headers['content-encoding'], brotliDecompressSync(br.body).toString()]).toEqual([
    'br',
    'export const a = 1',
  ])
  for (const accepted of ['gzip', 'gzip;q=0.5, br;q=0', 'GZIP, br; q=0.000']) {
    const { headers, body } = await ask(accepted)
    expect([headers['content-encoding'], gunzipSync(body).toString()]).toEqual(['gzip', 'export const a = 1'])
  }
  for (const accepted of ['identity', '', 'brotli', 'gzip;q=0, br;q=0'])
    expect((await ask(accepted)).headers['content-encoding'], accepted).toBeUndefined()
  expect((await sendRequest(`${adminUrl}${SCRIPT}.br`)).status).toBe(404)
})

test('a known file is 304, with one ETag per compressed form', async () => {
  const { adminUrl } = await start()
  const ask = (headers: Record<string, string>) => sendRequest(`${adminUrl}${SCRIPT}`, { headers })
  const etag = String((await ask({})).headers['etag'])
  const brEtag = String((await ask({ 'accept-encoding': 'br' })).headers['etag'])
  expect(brEtag).not.toBe(etag)
  for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const { status, headers, body } = await ask({ 'if-none-match': tag })
    expect([status, headers['etag'], headers['content-length'], body.length]).toEqual([
      304,
      etag,
      undefined,
      0,
    ])
  }
  expect((await ask({ 'if-none-match': brEtag })).status).toBe(200)
  expect((await ask({ 'if-none-match': brEtag, 'accept-encoding': 'br' })).status).toBe(304)
})

test('HEAD has the head of GET and no body', async () => {
  const { adminUrl } = await start()
  const [get, head] = await Promise.all(
    ['GET', 'HEAD'].map((method) => sendRequest(`${adminUrl}/`, { method })),
  )
  expect(head?.body.length).toBe(0)
  const { date: _, ...headers } = head?.headers ?? {}
  expect(get?.headers).toMatchObject(headers)
  expect(headers['content-length']).toBe(String(get?.body.length))
})

test('no path leads out of the folder: dots, encoded or not, links, NUL, absolute names', async () => {
  const { adminPort } = await start()
  const paths = [
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/.%2e/secret.txt',
    '/..%2fsecret.txt',
    '/..%5csecret.txt',
    '/..\\secret.txt',
    '/%252e%252e/secret.txt',
    '/link.txt',
    '/up/secret.txt',
    '/index.html%00.js',
    '/index.html%2f',
    '//etc/passwd',
    '/etc/passwd',
    '/file:///etc/passwd',
    '/%c0%ae%c0%ae/secret.txt',
    '/assets',
    '/assets/',
    '/__proto__',
    '/constructor',
  ]
  for (const path of paths) {
    const text = await sendRaw(
      adminPort,
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    )
    const { status, body } = parseResponse(text)
    expect({ path, status: [404, 422].includes(status) }).toEqual({ path, status: true })
    expect(JSON.parse(body)).toEqual({ code: expect.any(String), message: expect.any(String) })
    expect(text).not.toContain('a secret')
  }
})

test('without its folder only the page is missing', async () => {
  const { adminUrl, log } = await startAdmin({ admin: { development, consoleFolder: '/nowhere/at/all' } })
  const { status, body } = await sendRequest(`${adminUrl}/`)
  expect([status, JSON.parse(body.toString())]).toEqual([
    404,
    { code: 'NOT_FOUND', message: 'There is nothing here.' },
  ])
  expect((await sendRequest(`${adminUrl}/api/gateway`)).status).toBe(200)
  expect(log.map(({ msg }) => msg)).toContain('the console cannot be served: its files cannot be read')
})
