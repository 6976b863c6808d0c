import { consoleFolder } from '@agentic-rest/console'
import { describeWith } from '@agentic-rest/testing/test-with'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { usageAnswer } from '../../packages/cli/test/harness/usage-listener.ts'
import { startAdmin } from '../../packages/gateway/test/admin/harness/start-admin.ts'
import { looks, openConsole, overflowOf, showIn, violations } from './console-browser.ts'
import { useConsoleStack } from './console-stack.ts'
import { postSwallowed } from './swallowed-records.ts'
import { fillIn, openView, send, untilEnded } from './try-flow.ts'

/** Checks one state of the page in every look: WCAG 2.2 AA by axe, and no scrolling to the side. */
async function sweep(page: Page, state: string): Promise<void> {
  for (const look of looks) {
    await showIn(page, look)
    const shown = `${state}, ${look.theme} at ${look.width}`
    expect(await violations(page), shown).toEqual([])
    expect(await overflowOf(page), shown).toBe(0)
  }
  await page.setViewportSize({ width: 1280, height: 820 })
}

describeWith('chromium', 'every view follows WCAG 2.2 AA', sweepAll)

function sweepAll(): void {
  const stack = useConsoleStack()

  async function open(): Promise<Page> {
    const { browser, url } = stack()
    const opened = await openConsole(browser, url, { theme: 'light', width: 1280 })
    onTestFinished(() => opened.close())
    return opened.page
  }
  const exchangeOf = (page: Page) => page.getByRole('region', { name: 'Exchange' })

  test('Live, before and after the first request, paused and narrowed', async () => {
    const page = await open()
    await page.getByRole('link', { name: 'Send one in Try' }).waitFor()
    await sweep(page, 'empty')
    await fetch(`${stack().gatewayUrl}/campaigns/nobody`)
    await page.getByText('401 unauthenticated').first().waitFor()
    await sweep(page, 'with a request')
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.keyboard.press('/')
    await page.keyboard.type('no-such-text')
    await sweep(page, 'paused and narrowed to nothing')
  })

  test('Timeline, its list, an exchange, a swallowed outcome and an unknown id', async () => {
    const page = await open()
    const { url, gatewayUrl } = stack()
    await fetch(`${gatewayUrl}/campaigns/nobody`, { headers: { 'x-correlation-id': 'sweep-1' } })
    await openView(page, 'Timeline')
    await page.getByText('sweep-1').first().waitFor()
    await sweep(page, 'list')
    await page.goto(`${url}/#/timeline/sweep-1`)
    await page.getByRole('region', { name: 'Waterfall' }).getByText('401').first().waitFor()
    await sweep(page, 'exchange')
    await page.goto(`${url}/#/timeline/${await postSwallowed(url)}`)
    await page.getByRole('alert').getByText('An outcome was swallowed').waitFor()
    await sweep(page, 'swallowed')
    await page.goto(`${url}/#/timeline/nobody-knows-it`)
    await page.getByText('There is no record of this correlation id.').waitFor()
    await sweep(page, 'unknown id')
  })

  test('Routes, folded, unfolded and narrowed', async () => {
    const page = await open()
    await openView(page, 'Routes')
    await page.getByRole('region', { name: 'Table of routes' }).waitFor()
    await sweep(page, 'folded')
    await page.getByText('license-check').first().click()
    await page.getByRole('region', { name: 'Configuration of license-check' }).waitFor()
    await sweep(page, 'unfolded')
    await page.locator('h1').focus()
    await page.keyboard.press('/')
    await page.keyboard.type('llm')
    await expect.poll(() => page.getByRole('link', { name: /^Try / }).count()).toBe(1)
    await page.keyboard.type('-nothing')
    await page.getByText('No route fits.').waitFor()
    await sweep(page, 'narrowed to nothing')
  })

  test('Usage, without and with limits', async () => {
    const page = await open()
    await openView(page, 'Usage')
    await page.getByText('No limits are configured.').waitFor()
    await sweep(page, 'without limits')
    await page.route('**/api/usage*', (route) => route.fulfill({ json: usageAnswer('') }))
    await page.reload()
    await page.getByRole('region', { name: 'Usage of globex' }).waitFor()
    await sweep(page, 'with limits')
  })

  test('Inbox, of nobody, empty, with an approval and with a token of somebody else', async () => {
    const page = await open()
    await fillIn(page, {
      route: 'create-optimization',
      person: 'alice',
      fields: { campaignId: 'cmp-enterprise' },
      body: { goal: 'cpl' },
    })
    await send(page)
    await exchangeOf(page).getByRole('button', { name: 'Approve as dave' }).waitFor()
    await openView(page, 'Inbox')
    await page.getByRole('button', { name: 'Use a token instead' }).click()
    await sweep(page, 'nobody')
    await page.getByLabel('Person').selectOption('alice')
    await page.getByText('Nothing waits for you.').waitFor()
    await sweep(page, 'empty')
    await page.getByRole('button', { name: 'Somebody else' }).click()
    await page.getByLabel('Person').selectOption('dave')
    await page.getByRole('region', { name: 'Waits for me' }).getByRole('link').first().click()
    const approval = page.getByRole('article', { name: 'Approval' })
    await approval.getByRole('button', { name: 'Reject', exact: true }).waitFor()
    await sweep(page, 'an approval')
    await approval.getByLabel('Comment, for the record').fill('not now')
    await approval.getByRole('button', { name: 'Reject', exact: true }).click()
    await approval.getByRole('status').getByText('You rejected it.').waitFor()
    await sweep(page, 'rejected')
    await page.getByRole('button', { name: 'Somebody else' }).click()
    await page.getByLabel('Token', { exact: true }).fill('opaque')
    await page.getByRole('button', { name: 'Open the inbox' }).click()
    await page.getByRole('alert').getByText('The token was not accepted.').waitFor()
    await sweep(page, 'a refused token')
  })

  test('Try, from an empty form to each kind of answer', async () => {
    const page = await open()
    await openView(page, 'Try')
    await page.getByLabel('goal', { exact: true }).waitFor()
    await sweep(page, 'empty')
    await send(page)
    await page.getByRole('alert').getByText('Needed: it is part of the path.').waitFor()
    await sweep(page, 'with a fault')
    const route = 'create-optimization'
    await fillIn(page, { route, person: 'alice', fields: { campaignId: 'cmp-123' }, body: {} })
    await send(page)
    await exchangeOf(page).getByRole('button', { name: 'Answer', exact: true }).click()
    await exchangeOf(page).getByRole('alert').waitFor()
    await sweep(page, 'a question')
    await exchangeOf(page).getByRole('radio', { name: 'conversions', exact: true }).check()
    await page.keyboard.press('Control+Enter')
    await untilEnded(exchangeOf(page))
    await page.getByRole('heading', { name: 'History' }).click()
    const folded = page.locator('.exchange details:not([open]) > summary')
    while ((await folded.count()) > 0) await folded.first().click()
    await sweep(page, 'ended, with everything unfolded')
    await fillIn(page, {
      route,
      person: 'alice',
      fields: { campaignId: 'cmp-enterprise' },
      body: { goal: 'ctr' },
    })
    await send(page)
    await exchangeOf(page).getByRole('button', { name: 'Approve as dave' }).waitFor()
    await sweep(page, 'an approval')
    await exchangeOf(page).getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Options', { exact: true }).click()
    await page.getByLabel('Work in the background (202)').check()
    await fillIn(page, { route, person: 'carol', fields: { campaignId: 'cmp-900' }, body: { goal: 'reach' } })
    await send(page)
    await untilEnded(exchangeOf(page))
    await exchangeOf(page).getByRole('progressbar').waitFor()
    await sweep(page, 'background work')
  })

  test('Try, with wrong fields, an unknown path and no document', async () => {
    const page = await open()
    const { url } = stack()
    await page.goto(`${url}/#/try/llm-completions`)
    await page.getByLabel('max_tokens', { exact: true }).fill('0')
    await page.getByLabel('stream_options', { exact: true }).fill('{')
    await page.getByText('This is not JSON').waitFor()
    await sweep(page, 'wrong fields')
    await page.goto(`${url}/#/try/no-such-route`)
    await page.getByText('No route has the id').waitFor()
    await page.getByLabel('Route', { exact: true }).selectOption('*')
    await page.getByLabel('Path', { exact: true }).fill('/nothing')
    await page.getByText('No route matches').waitFor()
    await sweep(page, 'an unknown path')
    await page.route('**/api/openapi?*', (route) =>
      route.fulfill({ status: 404, json: { code: 'NOT_FOUND', message: 'There is no document.' } }),
    )
    await page.goto(`${url}/#/try/create-campaign`)
    await page.getByText('There is no document.').waitFor()
    await sweep(page, 'no document')
  })

  test('a weak contrast, a missing name and a small target would be found', async () => {
    const page = await open()
    await page.evaluate(`
      document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button><button></button><p id="weak">weak</p>')
      // Two of them: a small target with space around it is allowed.
      for (const button of document.querySelectorAll('main > button'))
        button.style.cssText = 'width: 10px; height: 10px; min-height: 0; padding: 0'
      document.querySelector('#weak').style.color = '#ddd'
    `)
    const rules = (await violations(page)).map((violation) => violation.split(':')[0])
    expect(rules).toEqual(expect.arrayContaining(['button-name', 'color-contrast', 'target-size']))
  })

  test('the list of keys', async () => {
    const page = await open()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await sweep(page, 'open')
  })

  test('the sign-in page, before and after a refused token', async () => {
    const { browser } = stack()
    const issuer = { issuer: 'https://id.example.test', algorithms: ['HS256'], hs256_secret: 'x'.repeat(32) }
    const { adminUrl } = await startAdmin({
      admin: { consoleFolder },
      settings: { roles: { viewer: { role: 'gateway:view' }, operator: { role: 'gateway:operate' } } },
      config: { plugins: { 'token-validator': { issuers: [{ ...issuer, audience: ['agentic'] }] } } },
    })
    // The policy of this page allows only its own script.
    const page = await browser.newPage({ bypassCSP: true, reducedMotion: 'reduce' })
    onTestFinished(() => page.close())
    await page.goto(adminUrl)
    await page.getByText('To read, the token needs the role gateway:view').waitFor()
    await sweep(page, 'sign-in')
    await page.getByLabel('Token').fill('x')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('The token was not accepted.').waitFor()
    await sweep(page, 'sign-in refused')
  })
}
