import { join } from 'node:path'
import type { Page, Route } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import {
  type ConsolePage,
  type Look,
  openConsole,
  overflowOf,
  picture,
  showIn,
  violations,
} from './console-browser.ts'
import type { ConsoleStack } from './console-stack.ts'
import { focused, openView } from './try-flow.ts'

interface Gated {
  readonly status: number
  readonly location: string
  readonly body: { readonly approvalToken: string; readonly code?: string }
}

const wide: Look = { theme: 'light', width: 1280 }
const markup = '<img src="x" onerror="document.title=1"> <b>fine</b>'

/** The tests of Inbox, on a running stack without approvals. */
export function testInbox(stack: () => ConsoleStack): void {
  let opened: ConsolePage | undefined
  let expected: readonly string[] = []

  async function open(look: Look, place = 'inbox'): Promise<Page> {
    const { browser, url } = stack()
    opened = await openConsole(browser, `${url}/#/${place}`, look)
    return opened.page
  }
  afterEach(async () => {
    const complaints = opened?.complaints
    // A request of the last refresh may still be on its way through a route of the test.
    await opened?.page.unrouteAll({ behavior: 'ignoreErrors' })
    await opened?.close()
    opened = undefined
    expect(complaints).toEqual(expected)
    expected = []
  })

  async function tokenOf(sub: string, roles: readonly string[]): Promise<string> {
    const body = JSON.stringify({ sub, tenant: 'acme', roles })
    const headers = { 'Content-Type': 'application/json' }
    const response = await fetch(`${stack().url}/api/token`, { method: 'POST', headers, body })
    return ((await response.json()) as { token: string }).token
  }

  async function post(path: string, token: string, more: { body?: object; approval?: string } = {}) {
    const response = await fetch(`${stack().gatewayUrl}${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        ...(more.approval !== undefined && { 'X-Approval-Token': more.approval }),
      },
      body: JSON.stringify(more.body ?? {}),
    })
    const { status, headers } = response
    return { status, location: headers.get('location') ?? '', body: await response.json() } as Gated
  }

  const optimize = (token: string, approval?: string) =>
    post('/campaigns/cmp-enterprise/optimizations', token, {
      body: { goal: 'ctr' },
      ...(approval !== undefined && { approval }),
    })

  async function askAs(sub: string): Promise<Gated & { readonly token: string }> {
    const token = await tokenOf(sub, ['campaign:optimize', 'campaign:approve'])
    const gated = await optimize(token)
    expect([gated.status, gated.body.code]).toEqual([412, 'APPROVAL_REQUIRED'])
    return { ...gated, token }
  }

  async function become(page: Page, sub: string): Promise<void> {
    await page.getByLabel('Person').selectOption(sub)
    await page.getByText(`The inbox of ${sub}`).waitFor()
  }

  async function becomeOwner(page: Page, token: string): Promise<void> {
    await page.getByRole('button', { name: 'Use a token instead' }).click()
    await page.getByLabel('Token', { exact: true }).fill(token)
    await page.getByRole('button', { name: 'Open the inbox' }).click()
    await page.getByText('The inbox of').waitFor()
  }

  /** Checks the current state in both themes. */
  async function looksRight(page: Page, state: string, width: number): Promise<void> {
    for (const theme of ['dark', 'light'] as const) {
      await showIn(page, { theme, width })
      const name = `${state}-${theme}-${width}`
      expect(await overflowOf(page), name).toBe(0)
      expect(await violations(page), name).toEqual([])
      const folder = process.env['INBOX_PICTURES']
      if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
    }
  }

  const countIn = (page: Page) =>
    page.getByRole('navigation', { name: 'Views' }).locator('.count').allInnerTexts()
  const listOf = (page: Page, name = 'Waits for me') => page.getByRole('region', { name, exact: true })
  const approvalOf = (page: Page) => page.getByRole('article', { name: 'Approval' })
  const kept = (page: Page) => page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })')

  describe.each([1280, 360])('%i px', (width) => {
    const look: Look = { theme: 'light', width }

    test('from a 412 to the inbox of somebody else, a decision, and the request going through', async () => {
      const asker = `asker-${width}`
      const page = await open(look)
      await page.getByText('The inbox shows the approvals of one person.').waitFor()
      expect(await countIn(page)).toEqual([])
      await looksRight(page, 'nobody', width)
      await become(page, 'dave')
      await page.getByText('Nothing waits for you.').waitFor()
      await expect.poll(() => focused(page)).toBe('Your identity')
      await looksRight(page, 'empty', width)

      const gated = await askAs(asker)
      await page.reload()
      const row = listOf(page).getByRole('link').filter({ hasText: asker })
      await row.waitFor()
      await expect.poll(() => countIn(page)).toEqual(['1'])
      await looksRight(page, 'waiting', width)
      await row.click()
      const approval = approvalOf(page)
      for (const text of [
        'create-optimization',
        asker,
        'ctr',
        'POST /campaigns/cmp-enterprise/optimizations',
      ])
        await approval.getByText(text, { exact: true }).first().waitFor()
      await approval.getByText('One approval by somebody else with the role campaign:approve').waitFor()
      expect(await approval.getByText(/left$/).count()).toBe(1)
      expect(page.url()).toMatch(/#\/inbox\/[\w-]+$/)
      await looksRight(page, 'pending', width)
      await picture(page, `inbox-light-${width}`)

      await approval.getByLabel('Comment, for the record').fill(markup)
      await approval.getByRole('button', { name: 'Approve', exact: true }).click()
      await approval.getByRole('status').getByText('You approved it.').waitFor()
      await expect.poll(() => focused(page)).toBe('You approved it.')
      await approval.getByText('approved, not used yet').waitFor()
      await approval.getByRole('region', { name: 'Decisions' }).getByText(markup).waitFor()
      expect(await page.locator('main img, main b').count()).toBe(0)
      await expect.poll(() => countIn(page)).toEqual([])
      await looksRight(page, 'decided', width)

      expect((await optimize(gated.token, gated.body.approvalToken)).status).toBe(201)
      await approval.getByRole('link', { name: 'Close' }).click()
      await page.getByRole('link', { name: 'Decided', exact: true }).click()
      await listOf(page, 'Decided')
        .getByRole('link')
        .filter({ hasText: asker })
        .getByText('approved and used')
        .waitFor()
      expect(await page.content()).not.toContain(gated.body.approvalToken)
      expect(await kept(page)).not.toMatch(/eyJ/)
    })

    test('the requester is refused with the reason, and withdraws', async () => {
      const { token, body } = await askAs(`owner-${width}`)
      const page = await open(look)
      await becomeOwner(page, token)
      await page.getByText('Nothing waits for you.').waitFor()
      await page.getByRole('link', { name: 'I asked for' }).click()
      await listOf(page, 'I asked for').getByRole('link').click()
      const approval = approvalOf(page)
      await approval
        .getByText('You are the requester. Somebody else with the role campaign:approve decides it.')
        .waitFor()
      for (const name of ['Approve', 'Reject'])
        expect(await approval.getByRole('button', { name, exact: true }).isDisabled()).toBe(true)
      await looksRight(page, 'own', width)
      await approval.getByRole('button', { name: 'Withdraw' }).click()
      await approval.getByRole('status').getByText('You withdrew it.').waitFor()
      await approval.getByText('withdrawn', { exact: true }).waitFor()
      const again = await optimize(token, body.approvalToken)
      expect([again.status, again.body.code]).toEqual([403, 'APPROVAL_INVALID'])
      expect(await kept(page)).not.toMatch(/eyJ/)
    })
  })

  test('a refused decision says why, and the page shows what happened meanwhile', async () => {
    const { location } = await askAs('eager')
    const page = await open(wide)
    await become(page, 'dave')
    await listOf(page).getByRole('link').filter({ hasText: 'eager' }).click()
    const approval = approvalOf(page)
    await approval.getByLabel('Comment, for the record').fill('too late')
    const other = await tokenOf('quick', ['campaign:approve'])
    const { pathname } = new URL(location, stack().gatewayUrl)
    const statuses: number[] = []
    // Behind the click, so that the page cannot learn of it before.
    await page.route('**/approve', async (route) => {
      const rejected = await post(`${pathname}/reject`, other, { body: { comment: 'not this month' } })
      statuses.push(rejected.status)
      await route.continue()
    })
    await approval.getByRole('button', { name: 'Approve', exact: true }).click()
    await approval.getByRole('alert').getByText('It was not done:').waitFor()
    expect(statuses).toEqual([200])
    await approval.getByText('not this month').waitFor()
    await approval.getByText('rejected', { exact: true }).first().waitFor()
    expect(await approval.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  })

  /** Adds routes that list approvals to the answer of the admin listener. */
  async function addRoutes(page: Page, paths: readonly string[]): Promise<void> {
    await page.route('**/api/routes', async (route) => {
      const response = await route.fetch()
      const list = (await response.json()) as { routes: object[] }
      const added = paths.map((path) => ({ id: path, method: 'GET', path, target: 'http://127.0.0.1:1' }))
      await route.fulfill({ response, json: { ...list, routes: [...list.routes, ...added] } })
    })
  }

  /** Sends the requests below a path elsewhere. */
  const sendTo = (page: Page, path: string, target: string) =>
    page.route(`${stack().gatewayUrl}${path}**`, async (route: Route) => {
      const { pathname, search } = new URL(route.request().url())
      const url = `${target}${pathname.slice(path.length)}${search}`
      const response = await route.fetch({ url })
      const origin = { 'access-control-allow-origin': stack().url }
      await route.fulfill({ response, headers: { ...response.headers(), ...origin } })
    })

  test('on two services with an agent between them, one approval is there once, with its way', async () => {
    const token = await tokenOf('planner', ['campaign:approve'])
    const gated = await post('/products/prd-export/recommendations', token)
    expect(gated.status).toBe(412)
    const inner = new URL(gated.location)
    expect(inner.origin).not.toBe(stack().gatewayUrl)
    const page = await open(wide, 'live')
    await addRoutes(page, ['/inner/approvals', '/again/approvals'])
    for (const path of ['/inner/approvals', '/again/approvals'])
      await sendTo(page, path, `${inner.origin}/approvals`)
    await openView(page, 'Inbox')
    await become(page, 'dave')
    const row = listOf(page).getByRole('link').filter({ hasText: 'planner' })
    await row.waitFor()
    expect(await row.count()).toBe(1)
    await expect.poll(() => countIn(page)).toEqual(['1'])
    await row.click()
    const approval = approvalOf(page)
    await expect
      .poll(() => approval.locator('.approval-way li').allInnerTexts())
      .toEqual([
        expect.stringMatching(/planner called create-recommendations$/),
        expect.stringMatching(/ called read-stock$/),
      ])
    await looksRight(page, 'graph', wide.width)
    await approval.getByRole('button', { name: 'Approve', exact: true }).click()
    await approval.getByRole('status').getByText('You approved it.').waitFor()
    const again = await post('/products/prd-export/recommendations', token, {
      approval: gated.body.approvalToken,
    })
    expect(again.status).toBe(201)
  })

  test('a service that fails says so in its place, and the others are shown', async () => {
    const { token, location } = await askAs('patient')
    const page = await open({ theme: 'dark', width: 360 }, 'live')
    await addRoutes(page, ['/gone/approvals'])
    await openView(page, 'Inbox')
    await become(page, 'dave')
    await page.getByRole('alert').getByText('/gone/approvals:').waitFor()
    await listOf(page).getByRole('link').filter({ hasText: 'patient' }).waitFor()
    await looksRight(page, 'fault', 360)
    await post(`${new URL(location, stack().gatewayUrl).pathname}/withdraw`, token)
  })

  test('a decision without an answer is not called refused', async () => {
    const lost = 'Failed to load resource: net::ERR_FAILED'
    const { token, location } = await askAs('unlucky')
    const page = await open(wide)
    await become(page, 'dave')
    await listOf(page).getByRole('link').filter({ hasText: 'unlucky' }).click()
    const approval = approvalOf(page)
    await page.route('**/approve', (route) => route.abort())
    await approval.getByRole('button', { name: 'Approve', exact: true }).click()
    await approval.getByRole('alert').getByText('It may be done all the same.').waitFor()
    await page.unroute('**/approve')
    await approval.getByRole('button', { name: 'Approve', exact: true }).click()
    await approval.getByRole('status').getByText('You approved it.').waitFor()
    await post(`${new URL(location, stack().gatewayUrl).pathname}/withdraw`, token)
    expected = [lost]
  })

  test('a hidden page does not ask, and a visible one does every ten seconds', async () => {
    const page = await open(wide, 'live')
    await openView(page, 'Inbox')
    await page.clock.install()
    await page.reload()
    await become(page, 'dave')
    await page.getByText('Nothing waits for you.').waitFor()
    let asked = 0
    page.on('request', (request) => {
      if (request.method() === 'GET' && new URL(request.url()).pathname === '/approvals') asked += 1
    })
    await page.clock.runFor(10_000)
    await expect.poll(() => asked).toBe(1)
    await page.evaluate('Object.defineProperty(document, "hidden", { value: true, configurable: true })')
    await page.clock.runFor(60_000)
    expect(asked).toBe(1)
    await page.evaluate(
      'delete document.hidden; document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))',
    )
    await expect.poll(() => asked).toBe(2)
  })

  test('a link to an approval that is not for this person says so', async () => {
    const page = await open(wide, 'inbox/00000000-0000-4000-8000-000000000000')
    await become(page, 'alice')
    await page.getByText('There is no such approval, or it is not for you to see.').waitFor()
    await page.getByRole('button', { name: 'Somebody else' }).click()
    await page.getByLabel('Person').waitFor()
    expect(await approvalOf(page).count()).toBe(0)
  })
}
