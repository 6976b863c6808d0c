import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { decodeJwt } from 'jose'
import { expect, onTestFinished, test } from 'vitest'
import { expectRefusal } from './harness/expect-refusal.ts'

const CHAT = '{"model": "gpt-4o","stream":true, "messages":[{"role":"user","content":"hé"}]}'
const CHAT_ASKED =
  '{"model": "gpt-4o","stream":true, "messages":[{"role":"user","content":"hé"}],"stream_options":{"include_usage":true}}'

interface Setting {
  readonly gateway?: Record<string, unknown>
  readonly plugins?: Record<string, unknown>
}

async function start({ gateway = {}, plugins = {} }: Setting = {}) {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const route = { method: 'POST', target: upstream.url }
  const { url } = await startGateway({
    gateway,
    plugins,
    routes: [
      { ...route, id: 'asking', path: '/asking', inject_usage: true },
      { ...route, id: 'plain', path: '/plain' },
    ],
  })
  const send = async (path: string, body: string | ReadableStream, headers: Record<string, string> = {}) => {
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Tenant-ID': 'acme', ...headers },
    }
    const answer = await fetch(url + path, { ...init, body, duplex: 'half' } as RequestInit)
    expect(answer.status).toBe(200)
    const received = upstream.requests.at(-1)
    if (received === undefined) throw new Error('the upstream got no request')
    return received
  }
  return { send }
}

test('a streamed chat asks its upstream for usage, with the length and without the digest of the old bytes', async () => {
  const { send } = await start()
  const received = await send('/asking', CHAT, { 'Content-Digest': 'sha-256=:AAAA:' })
  expect(received.body.toString()).toBe(CHAT_ASKED)
  expect(received.headers['content-length']).toBe(String(received.body.length))
  expect(received.headers).not.toHaveProperty('content-digest')
})

test('a chunked body is changed too', async () => {
  const { send } = await start()
  const half = Math.floor(CHAT.length / 2)
  const parts = [CHAT.slice(0, half), CHAT.slice(half)]
  const received = await send('/asking', ReadableStream.from(parts.map((part) => Buffer.from(part))))
  expect(received.body.toString()).toBe(CHAT_ASKED)
})

test('other bodies and other routes are forwarded as they are', async () => {
  const { send } = await start()
  const digest = { 'Content-Digest': 'sha-256=:AAAA:' }
  for (const [path, body, type] of [
    ['/plain', CHAT, 'application/json'],
    ['/asking', CHAT.replace('true', 'false'), 'application/json'],
    ['/asking', CHAT_ASKED, 'application/json'],
    ['/asking', CHAT.slice(1), 'application/json'],
    ['/asking', CHAT, 'text/plain'],
  ] as const) {
    const received = await send(path, body, { 'Content-Type': type, ...digest })
    expect(received.body.toString()).toBe(body)
    expect(received.headers).toHaveProperty('content-digest')
  }
})

test('a body that prompt-sanitize has changed asks for usage too', async () => {
  const rules = [{ name: 'email', builtin: 'email', action: 'redact' }]
  const { send } = await start({ plugins: { 'prompt-sanitize': { rules } } })
  const received = await send('/asking', CHAT.replace('hé', 'to bob@example.com'))
  expect(received.body.toString()).toBe(CHAT_ASKED.replace('hé', 'to [REDACTED:email]'))
})

test('the signed digest is that of the changed body', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-usage-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'identity.pem')
  writeFileSync(file, generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }))
  const { send } = await start({ gateway: { identity: { key_file: file, body_digest: true } } })
  const received = await send('/asking', CHAT)
  const digest = createHash('sha256').update(CHAT_ASKED).digest('base64url')
  expect(decodeJwt(String(received.headers['x-agentic-identity']))['bsha']).toBe(digest)
})

test('a body above max_body_bytes is refused, not read', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const { url } = await startGateway({
    gateway: { limits: { max_body_bytes: 1000 } },
    routes: [{ id: 'asking', method: 'POST', path: '/asking', target: upstream.url, inject_usage: true }],
  })
  const body = ReadableStream.from([Buffer.from(CHAT), Buffer.alloc(2000, ' ')])
  const headers = { 'Content-Type': 'application/json', 'X-Tenant-ID': 'acme' }
  const answer = await fetch(`${url}/asking`, {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
  } as RequestInit)
  expect(answer.status).toBe(413)
})

test('a body that the gateway has no memory for is refused with the limit', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const { url } = await startGateway({
    gateway: { limits: { max_buffered_bytes: 2000, max_buffered_bytes_per_tenant: 50 } },
    routes: [{ id: 'asking', method: 'POST', path: '/asking', target: upstream.url, inject_usage: true }],
  })
  const answer = await sendRequest(`${url}/asking`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Tenant-ID': 'acme' },
    body: CHAT,
  })
  const limit = 'max_buffered_bytes_per_tenant'
  expectRefusal(answer, 429, { code: 'LIMIT_EXCEEDED', limit, retryAfter: 1 })
})
