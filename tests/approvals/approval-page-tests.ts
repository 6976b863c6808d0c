import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { requestToken } from '@agentic-rest/stack'
import type { Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { repositoryRoot } from '../../tools/packed-packages.ts'
import {
  type Look,
  looks,
  makesPictures,
  overflowOf,
  seriousFindings,
  showIn,
} from '../console/console-browser.ts'
import type { ConsoleStack } from '../console/console-stack.ts'

interface Answer {
  readonly status: number
  readonly location: string
  readonly body: { readonly approvalToken: string; readonly code?: string }
}

const run = promisify(execFile)

/** Sends a request with curl; resolves with status, `Location` and body. */
async function curl(url: string, token: string, more: readonly string[] = []): Promise<Answer> {
  const written = '\n%{http_code}\n%header{location}'
  const args = ['-s', '--oauth2-bearer', token, '-w', written, ...more, url]
  const { stdout } = await run('curl', args)
  const [location = '', status = '', ...body] = stdout.split('\n').toReversed()
  return { status: Number(status), location, body: JSON.parse(body.toReversed().join('\n')) }
}

const markup = '<img src="x" onerror="document.title=1"> <b>fine</b>'

/** The tests of the page that the `Location` of a 412 leads to, on a running stack. */
export function testApprovalPage(stack: () => ConsoleStack): void {
  let gateway: string

  beforeAll(() => {
    gateway = stack().gatewayUrl
  })

  /** A token of a person: a known one, or one of the tenant acme with the given roles. */
  function tokenOf(sub: string, roles?: string): Promise<string> {
    const person = roles === undefined ? {} : { tenant: 'acme', roles }
    return requestToken({ portBase: stack().portBase, sub, ...person })
  }

  /** Opens an approval like somebody with a link; everything that the page logs as an error fails the test. */
  async function open(url: string, { theme, width }: Look): Promise<Page> {
    const context = await stack().browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: theme,
      locale: 'en-GB',
      timezoneId: 'UTC',
    })
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    onTestFinished(async () => {
      // The page looks again and again: a route may be answering a look when the page is closed.
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await context.close()
      expect(complaints).toEqual([])
    })
    await page.goto(url)
    return page
  }

  async function signIn(page: Page, token: string): Promise<void> {
    await page.getByText('Use a token').click()
    await page.getByLabel('Token', { exact: true }).fill(token)
    await page.getByRole('button', { name: 'Use this token' }).click()
  }

  /** Checks one state of the page in every look. */
  async function looksRight(page: Page, state: string): Promise<void> {
    const pictures = process.env['APPROVAL_PICTURES']
    for (const look of looks) {
      await showIn(page, look)
      const name = `${state}-${look.theme}-${look.width}`
      expect(await seriousFindings(page), name).toEqual([])
      expect(await overflowOf(page), name).toBe(0)
      if (pictures !== undefined)
        await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
      if (makesPictures && name === 'graph-light-1280')
        await page.screenshot({ path: join(repositoryRoot, 'docs/images/approval-page.png') })
    }
  }

  test('from a 412 of curl to the page, a decision by somebody else, and the request going through', async () => {
    const asking = 'asker'
    const own = await tokenOf(asking, 'campaign:optimize,campaign:approve')
    const request = ['--json', '{"goal":"ctr"}']
    const url = `${gateway}/campaigns/cmp-enterprise/optimizations`
    const gated = await curl(url, own, request)
    expect([gated.status, gated.body.code]).toEqual([412, 'APPROVAL_REQUIRED'])

    const page = await open(new URL(gated.location, gateway).href, { theme: 'light', width: 1280 })
    await page.getByText('Sign in to see this approval and to decide it.').waitFor()
    await looksRight(page, 'sign-in')
    await signIn(page, 'not-a-token')
    await page.getByRole('alert').getByText('The token was not accepted.').waitFor()

    // The requester has the role and may not decide all the same: there is nothing to press.
    await signIn(page, own)
    await page.getByRole('heading', { name: 'Approval needed' }).waitFor()
    await page
      .getByText('You are the requester. Somebody else with the role campaign:approve decides it.')
      .waitFor()
    expect(await page.getByRole('button', { name: /Approve|Reject/ }).count()).toBe(0)
    expect(await page.getByText('not accepted').count()).toBe(0)
    await looksRight(page, 'requester')
    // A page that does not know its reader offers it, and shows the refusal of the service.
    await page.route('**/approvals/session', (route) => route.fulfill({ json: { name: '', services: [] } }))
    await page.reload()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page
      .getByRole('alert')
      .getByText(/requester/)
      .waitFor()
    expect(await page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
    await looksRight(page, 'refused')
    await page.unroute('**/approvals/session')
    await page.getByRole('button', { name: 'Sign out' }).click()

    await signIn(page, await tokenOf('dave'))
    await page.getByRole('heading', { name: 'Approval needed' }).waitFor()
    for (const text of ['create-optimization', asking, 'ctr', 'POST /campaigns/cmp-enterprise/optimizations'])
      await page.getByText(text, { exact: true }).first().waitFor()
    await page.getByText('One approval by somebody else with the role campaign:approve').waitFor()
    await looksRight(page, 'pending')
    await page.getByLabel('Comment, for the record').fill(markup)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('status').getByText('You approved it.').waitFor()
    await page.getByRole('heading', { name: 'Approved', exact: true }).waitFor()
    expect(await page.locator('.approval-comment').textContent()).toBe(markup)
    expect(await page.locator('.approval-comment *, img').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    await looksRight(page, 'approved')

    const again = await curl(url, own, [...request, '-H', `X-Approval-Token: ${gated.body.approvalToken}`])
    expect(again.status).toBe(201)
    // The session is still there for somebody who opens the link again.
    await page.reload()
    await page.getByRole('heading', { name: 'Approved and used' }).waitFor()
  })

  test('on two services with an agent between them, the page shows for whom it asks and the way', async () => {
    const look = { theme: 'light', width: 1280 } as const
    const own = await tokenOf('planner', 'campaign:approve')
    const url = `${gateway}/products/prd-export/recommendations`
    const gated = await curl(url, own, ['--json', '{}'])
    expect(gated.status).toBe(412)
    // The approval is at the gateway of the inner agent.
    expect(new URL(gated.location).origin).not.toBe(gateway)

    const page = await open(gated.location, look)
    await signIn(page, own)
    await page.getByText(/^An agent asked for it on your behalf\./).waitFor()
    expect(await page.getByRole('button', { name: /Approve|Reject/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Sign out' }).click()

    await signIn(page, await tokenOf('dave'))
    await page.getByRole('heading', { name: 'Approval needed' }).waitFor()
    expect(await page.locator('main > dl').first().textContent()).toContain('On behalf ofplanner')
    expect(await page.locator('.approval-way li').allTextContents()).toEqual([
      'planner called create-recommendations',
      expect.stringMatching(/ called read-stock$/),
    ])
    await looksRight(page, 'graph')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('status').getByText('You approved it.').waitFor()
    const token = `X-Approval-Token: ${gated.body.approvalToken}`
    expect((await curl(url, own, ['--json', '{}', '-H', token])).status).toBe(201)
  })

  test('a rejection with a reason ends the request', async () => {
    const own = await tokenOf('eager', 'campaign:optimize')
    const url = `${gateway}/campaigns/cmp-enterprise/optimizations`
    const gated = await curl(url, own, ['--json', '{"goal":"ctr"}'])
    const page = await open(new URL(gated.location, gateway).href, { theme: 'light', width: 360 })
    await signIn(page, await tokenOf('dave'))
    await page.getByLabel('Comment, for the record').fill('not\u3164\u{e0041} this month')
    await page.getByRole('button', { name: 'Reject' }).click()
    await page.getByRole('heading', { name: 'Rejected' }).waitFor()
    await page.getByText('not\\u{3164}\\u{e0041} this month').waitFor()
    const token = `X-Approval-Token: ${gated.body.approvalToken}`
    const again = await curl(url, own, ['--json', '{"goal":"ctr"}', '-H', token])
    expect([again.status, again.body.code]).toEqual([403, 'APPROVAL_INVALID'])
  })

  test('a decision about something else than was shown is refused, and what is true now is shown', async () => {
    const own = await tokenOf('hasty', 'campaign:optimize')
    const url = `${gateway}/campaigns/cmp-enterprise/optimizations`
    const gated = await curl(url, own, ['--json', '{"goal":"ctr"}'])
    const address = new URL(gated.location, gateway).href
    const look = { theme: 'light', width: 1280 } as const
    const [first, second] = [await open(address, look), await open(address, look)]

    // As if the approval had become one for another request since it was read.
    await second.route(address, async (route) => {
      if (route.request().resourceType() !== 'fetch') return route.continue()
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), digest: 'another' } })
    })
    await signIn(second, await tokenOf('erin', 'campaign:approve'))
    await second.getByRole('button', { name: 'Approve' }).click()
    await second
      .getByRole('alert')
      .getByText(/another request/)
      .waitFor()
    await second.unroute(address)
    await second.reload()
    await second.getByRole('heading', { name: 'Approval needed' }).waitFor()

    await signIn(first, await tokenOf('dave'))
    await first.getByRole('button', { name: 'Reject' }).click()
    await first.getByRole('heading', { name: 'Rejected' }).waitFor()
    // Without a press.
    await second.getByRole('heading', { name: 'Rejected' }).waitFor()
    await second.getByRole('status').getByText('Changed meanwhile: Rejected.').waitFor()
    expect(await second.getByRole('button', { name: /Approve|Reject/ }).count()).toBe(0)
    await second.getByText('dave', { exact: true }).waitFor()
  })

  test('of two approvals the first leaves a count, and the buttons to the next person', async () => {
    const own = await tokenOf('patient', 'campaign:optimize')
    const url = `${gateway}/campaigns/cmp-enterprise/optimizations`
    const gated = await curl(url, own, ['--json', '{"goal":"ctr"}'])
    const address = new URL(gated.location, gateway).href
    const page = await open(address, { theme: 'light', width: 1280 })
    // The operations of the stack need one approval: here the same approval says that it needs two, and has the first.
    const decisions: object[] = []
    await page.route(`${address}**`, async (route) => {
      if (route.request().resourceType() !== 'fetch') return route.continue()
      const headers = { accept: 'application/json', 'x-agentic-page': 'approvals' }
      const response = await page.request.get(address, { headers })
      if (route.request().method() === 'POST')
        decisions.push({ decidedBy: 'dave', verdict: 'approved', decidedAt: new Date(0).toISOString() })
      const shown = await response.json()
      await route.fulfill({ response, json: { ...shown, quorum: 2, decisions } })
    })
    await signIn(page, await tokenOf('dave'))
    await page.getByText('0 of 2 approvals by different people with the role campaign:approve').waitFor()
    await page.getByLabel('Comment, for the record').fill('half written')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('1 of 2 approvals by different people with the role campaign:approve').waitFor()
    await page.getByText('You have decided it. Others have to decide too.').waitFor()
    expect(await page.getByRole('button', { name: /Approve|Reject/ }).count()).toBe(0)
    await looksRight(page, 'first-of-two')
  })

  test('an approval of another tenant, or none at all, is not shown', async () => {
    const page = await open(`${gateway}/approvals/00000000-0000-4000-8000-000000000000`, {
      theme: 'light',
      width: 360,
    })
    await signIn(page, await tokenOf('dave'))
    await page
      .getByRole('alert')
      .getByText('There is no such approval, or it is not for you to see.')
      .waitFor()
  })
}
