import { growth, LINEAR } from '@agentic-rest/testing/cpu-ratio'
import { eventually } from '@agentic-rest/testing/eventually'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'

async function start(options: object = {}) {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const gateway = await startGateway({
    plugins: {
      'prompt-sanitize': {
        rules: [
          { name: 'email', builtin: 'email' },
          { name: 'phone', builtin: 'phone' },
          { name: 'street', keywords: ['Straße'], action: 'reject' },
          { name: 'tag', regex: '[\\u{E0020}-\\u{E007F}]', action: 'reject' },
        ],
        ...options,
      },
      'otel-audit': { include_request_body: true },
    },
    routes: [{ id: 'r', method: 'POST', path: '/r', target: upstream.url }],
  })
  const post = (type: string, body: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}/r`, {
      method: 'POST',
      body,
      headers: { 'X-Tenant-ID': 'acme', 'Content-Type': type, ...headers },
    })
  return { ...gateway, upstream, post }
}

describe('a body of a type that cannot be inspected', () => {
  it.each(['application/octet-stream', 'multipart/form-data; boundary=x', 'image/png'])(
    'is refused by default: %s',
    async (type) => {
      const { post, upstream, metrics } = await start()
      const response = await post(type, 'mail bob@example.test')
      expect(response.status).toBe(422)
      expect(response.headers.get('content-type')).toBe('application/vnd.agentic.validation-error+json')
      expect(await response.json()).toMatchObject({
        type: 'validation_failed',
        code: 'VALIDATION_FAILED',
        errors: [
          {
            field: 'Content-Type',
            message:
              'The type of the body must be one that can be inspected: application/json, application/x-ndjson, ' +
              'application/x-www-form-urlencoded, application/xml, application/yaml, text/* or no type.',
          },
        ],
      })
      expect(upstream.requests).toEqual([])
      expect(await metrics()).not.toContain('agentic_plugin_promptsanitize_skipped_total{')
    },
  )
})

describe('with `uninspected: pass`, a body of a type that is not looked into', () => {
  it('is forwarded as it is, and is never part of a record', async () => {
    const { post, upstream, audit } = await start({ uninspected: 'pass' })
    await post('application/octet-stream', 'mail bob@example.test')
    await post('text/plain', 'mail bob@example.test')
    expect(upstream.requests.map(({ body }) => body.toString())).toEqual([
      'mail bob@example.test',
      'mail [REDACTED:email]',
    ])
    await eventually(
      () => audit.length,
      (count) => count === 2,
    )
    expect(audit.map((record) => record['request_body'])).toEqual([undefined, 'mail [REDACTED:email]'])
  })
})

describe('a body that is text without saying so', () => {
  it.each([
    'application/x-ndjson',
    'application/jsonl',
    'application/x-json',
    'application/yaml',
    'application/xml',
    'application/atom+xml',
    'image/svg+xml',
    'application/graphql',
  ])('is searched: %s', async (type) => {
    const { post, upstream } = await start()
    await post(type, '{"mail":"bob@example.test"}\n')
    expect(upstream.requests[0]?.body.toString()).toBe('{"mail":"[REDACTED:email]"}\n')
  })
})

describe('a body that was changed', () => {
  it('goes on without the digests of what it was', async () => {
    const { post, upstream } = await start()
    const digests = { 'Content-Digest': 'sha-256=:x:', 'Content-MD5': 'x', Digest: 'x' }
    await post('text/plain', 'mail bob@example.test', digests)
    await post('text/plain', 'nothing to hide', digests)
    const seen = upstream.requests.map(({ headers }) =>
      Object.keys(headers).filter((name) => /digest|md5/.test(name)),
    )
    expect(seen).toEqual([[], ['content-digest', 'content-md5', 'digest']])
  })
})

describe('what is only short when it is written', () => {
  it.each(['straße', 'STRASSE', '\u{E0041}'])('is still found: %j', async (value) => {
    const { post, upstream } = await start()
    expect((await post('application/json', JSON.stringify({ value }))).status).toBe(422)
    expect(upstream.requests).toEqual([])
  })
})

describe('a long key over many values', () => {
  it('is no way to stop the gateway', async () => {
    const { post, url } = await start()
    const workOf = (size: number) => {
      const body = JSON.stringify({ [`phone${'x'.repeat(10 * size)}`]: Array(size).fill('abcdefg') })
      return async () => {
        const [response] = await Promise.all([post('application/json', body), fetch(`${url}/healthz`)])
        expect(response.status).toBe(200)
      }
    }
    expect(await growth({ workOf, size: 8000 })).toBeLessThan(LINEAR)
  })
})
