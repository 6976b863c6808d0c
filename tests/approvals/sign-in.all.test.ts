import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { created, defineOperation } from '@agentic-rest/service'
import { freePort } from '@agentic-rest/testing/free-port'
import { sharedBrowser } from '@agentic-rest/testing/shared-browser'
import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { startRedisServer } from '@agentic-rest/testing/start-redis-server'
import { startService } from '@agentic-rest/testing/start-service'
import { testWith } from '@agentic-rest/testing/test-with'
import type { Browser, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { startIdentity } from '../../examples/identity/src/identity.ts'
import { looks, overflowOf, seriousFindings, showIn } from '../console/console-browser.ts'
import { startProxy } from '../deploy/start-proxy.ts'

const store = sharedStore()

const pay = defineOperation({
  id: 'pay',
  method: 'POST',
  path: '/payments',
  approval: {
    role: 'finance',
    quorum: 2,
    when: () => ({ message: 'Pay 7,500 to ACME?', approver: { name: 'Finance' } }),
  },
  run: () => created({ body: { paymentId: 'p-1' }, location: '/payments/p-1' }),
})

const people = new Map(
  ['dave', 'erin', 'alice'].map(
    (sub) => [sub, { tenant: 'acme', roles: sub === 'alice' ? [] : ['finance'] }] as const,
  ),
)

/** An identity provider, a service, Redis, two gateways and nginx before them. */
async function startAll(redisProgram: string) {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-sign-in-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const identity = await startIdentity({ port: 0, serviceAccounts: new Map(), people })
  onTestFinished(() => identity.close())
  const [service, redis] = await Promise.all([
    startService({ operations: [pay], store }),
    startRedisServer({ program: redisProgram, folder }),
  ])
  onTestFinished(() => redis.stop())
  const ports = [await freePort(), await freePort()] as const
  const url = await startProxy('nginx', ports)
  const key = join(folder, 'session-key')
  writeFileSync(key, 'k'.repeat(40))
  const route = (id: string, method: string, path: string) => ({
    id,
    method,
    path,
    target: service.url,
    forwardAuthorization: false,
  })
  const start = async (port: number) => {
    const gateway = await startGatewayProcess({
      name: `gateway-${port}`,
      config: {
        gateway: {
          port,
          shared: { redis_url: redis.url },
          trusted_proxies: ['127.0.0.0/8'],
          approvals_page: {},
          sign_in: {
            issuer: identity.issuer,
            client_id: 'agentic-gateway',
            public_url: url,
            key_files: [key],
          },
        },
        plugins: {
          'token-validator': {
            issuers: [{ issuer: identity.issuer, audience: ['agentic'], algorithms: ['RS256'] }],
          },
        },
        routes: [
          route('pay', 'POST', '/payments'),
          route('list-approvals', 'GET', '/approvals'),
          route('show-approval', 'GET', '/approvals/{approvalId}'),
          route('approve', 'POST', '/approvals/{approvalId}/approve'),
          route('reject', 'POST', '/approvals/{approvalId}/reject'),
        ],
      },
    })
    onTestFinished(() => gateway.stop())
    return gateway
  }
  return { url, identity, gateways: [await start(ports[0]), await start(ports[1])] as const }
}

/** A token of a person, as `agentic token` gets one. */
async function tokenOf(issuer: string, sub: string): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'urn:agentic-rest:grant-type:development',
    client_id: 'development',
    sub,
  })
  const answer = await fetch(`${issuer}/token`, { method: 'POST', body })
  return ((await answer.json()) as { access_token: string }).access_token
}

/** Opens a page as somebody at a computer of its own; what the page logs as an error fails the test. */
async function openAs(browser: Browser, address: string): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC' })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  onTestFinished(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })
  await page.goto(address)
  return page
}

async function looksRight(page: Page, state: string): Promise<void> {
  const pictures = process.env['APPROVAL_PICTURES']
  for (const look of looks) {
    await showIn(page, look)
    const name = `${state}-${look.theme}-${look.width}`
    expect(await seriousFindings(page), name).toEqual([])
    expect(await overflowOf(page), name).toBe(0)
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
  }
}

async function signInAs(page: Page, sub: string): Promise<void> {
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: sub }).click()
}

testWith(
  ['redis-server', 'chromium', 'nginx'],
  'from a 412 to the 201 by two people who sign in, on two gateways, of which one is killed in between',
  async (redisProgram) => {
    const { url, identity, gateways } = await startAll(redisProgram)
    const browser = await sharedBrowser()
    onTestFinished(() => browser.close())
    const authorization = `Bearer ${await tokenOf(identity.issuer, 'alice')}`
    const ask = (headers: Record<string, string> = {}) =>
      fetch(`${url}/payments`, { method: 'POST', headers: { authorization, ...headers } })
    const gated = await ask()
    expect(gated.status).toBe(412)
    const { approvalToken } = (await gated.json()) as { approvalToken: string }

    const dave = await openAs(browser, `${url}/approvals`)
    await dave.getByText('Sign in to see your approvals and to decide them.').waitFor()
    await looksRight(dave, 'inbox-sign-in')
    await signInAs(dave, 'dave')
    await dave.getByText('Pay 7,500 to ACME?').waitFor()
    expect(await dave.title()).toBe('(1) Approvals')
    await looksRight(dave, 'inbox')
    await dave.getByLabel('Search').fill('nothing like this')
    await dave.getByText('Nothing fits the search.').waitFor()
    await dave.getByLabel('Search').fill('acme')
    // By keyboard: from the search to the row.
    await dave.keyboard.press('Tab')
    await dave.keyboard.press('Enter')
    await dave.getByRole('heading', { name: 'Approval needed' }).waitFor()
    await dave.getByRole('button', { name: 'Approve' }).click()
    await dave.getByText('1 of 2 approvals').waitFor()
    await looksRight(dave, 'one-of-two')

    gateways[0].kill('SIGKILL')
    await gateways[0].ended
    // The other gateway knows the session.
    await dave.reload()
    await dave.getByText('You have decided it. Others have to decide too.').waitFor()

    const erin = await openAs(browser, new URL(gated.headers.get('location') ?? '', url).href)
    await signInAs(erin, 'erin')
    await erin.getByRole('button', { name: 'Approve' }).click()
    await erin.getByRole('heading', { name: 'Approved', exact: true }).waitFor()
    expect((await ask({ 'x-approval-token': approvalToken })).status).toBe(201)

    // A sign-out in one tab ends the other.
    const other = await erin.context().newPage()
    await other.goto(`${url}/approvals?list=decided`)
    await other.getByText('Pay 7,500 to ACME?').waitFor()
    await looksRight(other, 'inbox-decided')
    await erin.getByRole('button', { name: 'Sign out' }).click()
    await erin.getByText('Sign in to see this approval and to decide it.').waitFor()
    await other.getByText('Your session has ended. Sign in again.').waitFor()
    await other.reload()
    await other.getByText('Sign in to see your approvals and to decide them.').waitFor()
  },
)

testWith('chromium', 'a browser without JavaScript is told what is needed', async () => {
  const browser = await sharedBrowser()
  onTestFinished(() => browser.close())
  const identity = await startIdentity({ port: 0, serviceAccounts: new Map(), people })
  onTestFinished(() => identity.close())
  const gateway = await startGatewayProcess({
    config: {
      gateway: { sign_in: { issuer: identity.issuer, client_id: 'agentic-gateway' } },
      plugins: { 'token-validator': { issuers: [{ issuer: identity.issuer, audience: ['agentic'] }] } },
      routes: [],
    },
  })
  onTestFinished(() => gateway.stop())
  const context = await browser.newContext({ javaScriptEnabled: false })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(`${gateway.url}/approvals`)
  // The search by text skips such elements.
  const told = page.locator('noscript p')
  await told.waitFor()
  expect(await told.textContent()).toContain('This page needs JavaScript.')
})
