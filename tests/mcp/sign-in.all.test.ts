import { sharedBrowser } from '@agentic-rest/testing/shared-browser'
import { startServer } from '@agentic-rest/testing/start-server'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect, onTestFinished } from 'vitest'
import { violations } from '../console/console-browser.ts'
import { type ClientKind, type Json, load } from './official-clients.ts'
import { startReferenceTools } from './reference-tools.ts'

/** The address that a program listens on for the end of a sign-in. */
async function listenForCallback() {
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>()
  const server = await startServer(({ url = '' }, response) => {
    if (url.startsWith('/callback?')) resolve(new URL(url, 'http://127.0.0.1').searchParams)
    response.end('You may close this page.')
  })
  return { url: `${server.url}/callback`, parameters: promise }
}

/** The provider that the official packages ask for everything about a sign-in. */
function createProvider(redirectUrl: string) {
  const kept: Json = {}
  return {
    kept,
    redirectUrl,
    clientMetadata: {
      client_name: 'A program of the tests',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => 'the state of the program',
    clientInformation: () => kept.client,
    saveClientInformation: (client: Json) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens: Json) => void Object.assign(kept, { tokens }),
    redirectToAuthorization: (address: URL) => void Object.assign(kept, { address: address.href }),
    saveCodeVerifier: (verifier: string) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: (discovery: Json) => void Object.assign(kept, { discovery }),
    discoveryState: () => kept.discovery,
  }
}

async function modulesOf(kind: ClientKind): Promise<Json> {
  if (kind !== 'sdk 1.32.2') return load('@modelcontextprotocol/client')
  return {
    ...(await load('@modelcontextprotocol/sdk/client/index.js')),
    ...(await load('@modelcontextprotocol/sdk/client/streamableHttp.js')),
  }
}

testWith(
  'chromium',
  'a client finds the issuer and registers itself, its person signs in with a browser, and its tools work',
  async () => {
    const [tools, browser] = await Promise.all([startReferenceTools(), sharedBrowser()])
    onTestFinished(async () => {
      await browser.close()
      await tools.close()
    })
    const page = await browser.newPage()
    for (const kind of ['client 2.4.0, auto', 'sdk 1.32.2'] as const) {
      const { Client, StreamableHTTPClientTransport: Transport } = await modulesOf(kind)
      const newClient = () =>
        new Client(
          { name: 'official', version: '1.0.0' },
          kind === 'sdk 1.32.2' ? {} : { versionNegotiation: { mode: 'auto' } },
        )
      const callback = await listenForCallback()
      const provider = createProvider(callback.url)
      const connect = () => new Transport(new URL(tools.url), { authProvider: provider })
      const first = connect()
      await expect(newClient().connect(first)).rejects.toThrow('Unauthorized')
      expect(provider.kept.client).toMatchObject({ client_id: expect.any(String) })

      await page.goto(provider.kept.address)
      expect(new URL(page.url()).origin).toBe(tools.issuer)
      await page.getByText('A program of the tests').waitFor()
      expect(await violations(page)).toEqual([])
      await page.getByRole('button', { name: /^alice/ }).click()
      await page.getByText('You may close this page.').waitFor()
      const parameters = await callback.parameters
      expect(parameters.get('state')).toBe('the state of the program')
      await first.finishAuth(kind === 'sdk 1.32.2' ? parameters.get('code') : parameters)

      const client = newClient()
      await client.connect(connect())
      const names = (await client.listTools()).tools.map(({ name }: Json) => name)
      expect(names).toContain('create-optimization')
      const params = { name: 'create-optimization', arguments: { campaignId: 'cmp-123', goal: 'ctr' } }
      const { _meta } = await client.callTool(params)
      expect(_meta['org.agentic-rest/outcome']).toMatchObject({ type: 'created', status: 201 })
      await client.close()
    }
  },
)
