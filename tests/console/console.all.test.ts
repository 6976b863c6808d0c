import { execFileSync } from 'node:child_process'
import { isLongSet } from '@agentic-rest/testing/long-set'
import { describeWith } from '@agentic-rest/testing/test-with'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { usageAnswer } from '../../packages/cli/test/harness/usage-listener.ts'
import {
  type ConsolePage,
  type Look,
  makesPictures,
  openConsole,
  overflowOf,
  picture,
  seriousFindings,
  showIn,
} from './console-browser.ts'
import { useConsoleStack } from './console-stack.ts'
import { makeTraffic } from './make-traffic.ts'
import { postSwallowed } from './swallowed-records.ts'
import { testTimeline } from './timeline-tests.ts'
import { copied, fillIn, focused, openView, send, untilEnded } from './try-flow.ts'
import { testTry } from './try-tests.ts'

const counted = expect.stringMatching(/^[1-9]\d*$/)

describeWith('chromium', 'the console in a browser', clickThrough)

function clickThrough(): void {
  const stack = useConsoleStack()

  // Every view is checked in the three other looks too; `npm run test:long` has the flows in a second look.
  const hasSecondLook = isLongSet || makesPictures
  const flowLooks: readonly Look[] = [
    { theme: 'light', width: 1280 },
    ...(hasSecondLook ? [{ theme: 'dark', width: 360 } as const] : []),
  ]

  describe.each(flowLooks)('$theme, $width px', ({ theme, width }) => {
    let opened: ConsolePage
    let page: Page
    const shown = `${theme}-${width}`

    beforeAll(async () => {
      // A gateway remembers the requests of the look before.
      if (shown !== 'light-1280') await stack().restart()
      opened = await openConsole(stack().browser, stack().url, { theme, width })
      page = opened.page
    })
    afterAll(() => opened?.close())
    afterEach(async () => {
      expect(opened.complaints).toEqual([])
      expect(await overflowOf(page)).toBe(0)
      expect(await seriousFindings(page)).toEqual([])
    })

    test('before the first request, Live explains how to send one', async () => {
      await page.getByRole('link', { name: 'Send one in Try' }).waitFor()
    })

    test('a clarification becomes a form, and its answer the result', async () => {
      await fillIn(page, {
        route: 'create-optimization',
        person: 'alice',
        fields: { campaignId: 'cmp-123' },
      })
      const exchange = await send(page)
      await exchange.getByText('400 clarification required').waitFor()
      await exchange.getByRole('group', { name: /^What is the campaign to be optimized for\?/ }).waitFor()
      await exchange.getByRole('button', { name: 'Answer' }).click()
      await exchange.getByRole('alert').getByText('This is needed to go on.').waitFor()
      await picture(page, `try-${shown}`)
      await exchange.getByRole('radio', { name: 'conversions', exact: true }).check()
      await exchange.getByRole('button', { name: 'Answer' }).click()
      await untilEnded(exchange)
      await exchange.getByText('201 created').waitFor()
      await exchange.getByRole('region', { name: 'Answer 2' }).getByText('"goal": "conversions"').waitFor()
    })

    test('the exchange leads to its timeline, with both rounds and both parts', async () => {
      await page.getByRole('link', { name: 'Open the timeline' }).click()
      const waterfall = page.getByRole('region', { name: 'Waterfall' })
      await expect.poll(() => waterfall.getByRole('row').count()).toBe(5)
      expect(await waterfall.getByText('400 clarification required').count()).toBe(2)
      expect(await waterfall.getByText('201 created').count()).toBe(2)
      const link = page.url()
      await page.reload()
      await waterfall.getByText('201 created').first().waitFor()
      expect(page.url()).toBe(link)
    })

    test('an approval names its approver, who then gives it', async () => {
      await fillIn(page, {
        route: 'create-optimization',
        person: 'alice',
        fields: { campaignId: 'cmp-enterprise' },
        body: { goal: 'ctr' },
      })
      const exchange = await send(page)
      const approval = exchange.getByRole('article', { name: 'Approval' })
      await approval.getByText('campaign:approve').waitFor()
      await approval.getByText('One approval by somebody else with the role campaign:approve').waitFor()
      await picture(page, `approval-${shown}`)
      await expect.poll(() => focused(page)).toContain('Approval')
      await exchange.getByRole('link', { name: 'Open the timeline' }).click()
      await page.getByRole('region', { name: 'Waterfall' }).waitFor()
      await expect.poll(() => focused(page)).toBe('Timeline')
      await expect.poll(() => page.title()).toMatch(/^Timeline: .* · Agentic REST console$/)
      await page.goBack()
      await expect.poll(() => page.getByLabel('Token', { exact: true }).inputValue()).not.toBe('')
      await approval.getByRole('button', { name: 'Wait for another person' }).click()
      await exchange.getByRole('status').getByText('Waiting for an approval').waitFor()
      await approval.getByRole('button', { name: 'Approve as dave' }).click()
      await untilEnded(exchange)
      await expect.poll(() => focused(page)).toBe('Exchange')
      await exchange.getByText('201 created').waitFor()
      expect(await exchange.getByText('412 approval required').count()).toBe(1)
    })

    test('work in the background shows its progress and then its result', async () => {
      await fillIn(page, {
        route: 'create-optimization',
        person: 'carol',
        fields: { campaignId: 'cmp-900' },
        body: { goal: width === 360 ? 'reach' : 'ctr' },
      })
      await page.getByText('Options', { exact: true }).click()
      await page.getByLabel('Work in the background (202)').check()
      const exchange = await send(page)
      await exchange.getByText('202 accepted').waitFor()
      await exchange.getByRole('progressbar', { name: 'Progress' }).waitFor()
      await untilEnded(exchange)
      const result = exchange.getByRole('article', { name: 'Result' })
      await result.getByText('201 created').waitFor()
      await result.getByRole('region', { name: 'Result' }).getByText('"campaignId": "cmp-900"').waitFor()
      await page.getByLabel('Work in the background (202)').uncheck()
    })

    test('a stream prints as it comes, and counts against its tenant while it is open', async () => {
      if (makesPictures) await makeTraffic(stack().url, stack().gatewayUrl)
      await fillIn(page, {
        route: 'llm-completions',
        person: 'alice',
        // Half a minute, which a busy machine may need until Live shows it.
        body: { prompt: 'Hello', max_tokens: 1500 },
      })
      const exchange = await send(page)
      await exchange.getByRole('status').getByText('Streaming').waitFor()
      const log = exchange.getByRole('log', { name: 'Stream' })
      const before = (await log.textContent()) ?? ''
      await expect.poll(async () => ((await log.textContent()) ?? '').length).toBeGreaterThan(before.length)
      await openView(page, 'Live')
      await page.getByRole('region', { name: 'Open streams' }).getByText('1 of 10').waitFor()
      await picture(page, `live-${shown}`)
      // The row of a stream appears at its end: an open stream would add it after the reload of the next test.
      await openView(page, 'Try')
      await exchange.getByRole('button', { name: 'Stop' }).click()
      await untilEnded(exchange)
      await openView(page, 'Live')
      await page.getByText('No stream is open.').waitFor()
    })

    test('requests are narrowed, paused and followed', async () => {
      const table = page.getByRole('region', { name: 'Requests, newest first' })
      await table.getByText('201 created').first().waitFor()
      await page.getByLabel('Outcome', { exact: true }).selectOption('asks')
      await table.getByText('201 created').first().waitFor({ state: 'hidden' })
      await page.getByLabel('Text').fill('cmp-enterprise')
      await expect.poll(() => table.locator('tbody').getByRole('row').count()).toBe(1)
      await table.getByText('412 approval required').waitFor()
      await page.reload()
      await table.getByText('412 approval required').waitFor()
      expect(await page.getByLabel('Text').inputValue()).toBe('cmp-enterprise')
      await page.getByRole('button', { name: 'Show all' }).click()
      await page.getByRole('button', { name: 'Pause' }).click()
      await fetch(`${stack().gatewayUrl}/campaigns/nobody`)
      await page.getByText('1 new').waitFor()
      await page.getByRole('button', { name: 'Resume' }).click()
      await table.getByText('401 unauthenticated').click()
      await page.getByRole('link', { name: 'Open the timeline' }).click()
      await page.getByRole('heading', { level: 1, name: 'Timeline' }).waitFor({ state: 'attached' })
      await page.getByRole('region', { name: 'Waterfall' }).getByText('401 unauthenticated').waitFor()
    })

    test('one correlation id is followed through two gateways and two agents', async () => {
      await fillIn(page, {
        route: 'create-recommendations',
        person: 'alice',
        fields: { productId: 'prd-offline' },
        body: {},
      })
      const exchange = await send(page)
      await exchange.getByText('424 failed dependency').waitFor()
      await page.getByRole('link', { name: 'Open the timeline' }).click()
      const graph = page.getByRole('region', { name: 'Hop graph' }).getByRole('img')
      await expect
        .poll(() => graph.getAttribute('aria-label'))
        .toBe(
          'gateway answered alice with failed dependency; ' +
            'recommendations answered gateway with failed dependency; ' +
            'inventory-gateway answered recommendations with failed dependency; ' +
            'inventory answered inventory-gateway with failed dependency',
        )
      expect(await page.getByText('swallowed').count()).toBe(0)
      await picture(page, `timeline-${shown}`)
    })

    test('an outcome swallowed between hops is marked', async () => {
      const correlationId = await postSwallowed(stack().url)
      await openView(page, 'Timeline')
      await page.getByLabel('Correlation id').fill(correlationId)
      await page.getByRole('button', { name: 'Show', exact: true }).click()
      await page
        .getByRole('alert')
        .getByText('An outcome was swallowed: 424 failed dependency became 200 success.')
        .waitFor()
      await page.getByRole('region', { name: 'Waterfall' }).getByText('swallowed').first().waitFor()
      await picture(page, `swallowed-${shown}`)
    })

    test('routes, their pipeline, its configuration and the picture are shown', async () => {
      await openView(page, 'Routes')
      const picked = page.getByRole('region', { name: 'Picture of gateway' }).getByRole('img')
      await expect.poll(() => picked.getAttribute('aria-label')).toContain('inventory-gateway to inventory')
      await page.getByText('license-check').first().click()
      await page.getByRole('region', { name: 'Configuration of license-check' }).getByText('"acme"').waitFor()
      await picture(page, `routes-${shown}`)
      await page.getByRole('link', { name: 'Try llm-completions' }).click()
      await expect.poll(() => page.getByLabel('Route', { exact: true }).inputValue()).toBe('llm-completions')
    })

    test('usage shows the counts of tenants, and says that nothing limits them', async () => {
      await openView(page, 'Usage')
      await page.getByText('No limits are configured.').waitFor()
      const acme = page.getByRole('region', { name: 'Usage of acme' })
      const requests = acme.getByRole('row', { name: 'Requests' }).getByRole('cell')
      await expect.poll(() => requests.allInnerTexts()).toEqual([counted, counted])
      expect(await acme.getByRole('row', { name: 'Refused by a limit' }).count()).toBe(0)
    })

    test('usage shows the state of limits, of all tenants or of one', async () => {
      await page.route('**/api/usage*', (route) =>
        route.fulfill({ json: usageAnswer(new URL(route.request().url()).searchParams.get('tenant') ?? '') }),
      )
      onTestFinished(() => page.unroute('**/api/usage*'))
      await openView(page, 'Usage')
      await page
        .getByRole('meter', { name: 'tokens-day of acme: 188,000 of 1,000,000 tokens used' })
        .waitFor()
      await page.getByRole('row', { name: 'money-month 50.00 EUR per month each tenant only llm' }).waitFor()
      const acme = page.getByRole('region', { name: 'Usage of acme' })
      expect(await acme.getByRole('row', { name: 'Cost' }).getByRole('cell').allInnerTexts()).toEqual([
        '0.746 EUR',
        '16.022622 EUR',
      ])
      await acme.getByRole('row', { name: 'Refused by a limit 37 412' }).waitFor()
      await page.getByRole('region', { name: 'Usage of globex' }).waitFor()
      await picture(page, `usage-${shown}`)
      await page.getByLabel('Tenant', { exact: true }).fill(' acme ')
      await page.getByRole('button', { name: 'Show', exact: true }).click()
      await expect.poll(() => page.getByRole('region', { name: /^Usage of/ }).count()).toBe(1)
      await expect.poll(() => page.title()).toBe('Usage: acme · Agentic REST console')
      await page.getByRole('button', { name: 'All tenants' }).click()
      await page.getByRole('region', { name: 'Usage of globex' }).waitFor()
    })

    test('it sends requests only to its own gateway', () => {
      expect([...opened.origins].toSorted()).toEqual([stack().gatewayUrl, stack().url].toSorted())
    })
  })

  // The flows above have the fourth look.
  const otherLooks = [
    { width: 1280, themes: ['dark'] },
    { width: 360, themes: ['light', 'dark'] },
  ] as const

  test.each(otherLooks)('each view is in order, $themes at $width px', async ({ width, themes }) => {
    const correlationId = await postSwallowed(stack().url, { operation: 'long-'.repeat(120) })
    const opened = await openConsole(stack().browser, stack().url, { theme: themes[0], width })
    onTestFinished(() => opened.close())
    const { page } = opened
    await page.getByText('Connected').waitFor()
    // Try, Routes and Usage are the same in every run: the accessibility test has them in all looks.
    for (const place of ['live', `timeline/${correlationId}`, 'timeline']) {
      await page.goto(`${stack().url}/#/${place}`)
      await page.locator('main section, main form').first().waitFor()
      for (const theme of themes) {
        await showIn(page, { theme, width })
        expect(await overflowOf(page), place).toBe(0)
        expect(await seriousFindings(page), place).toEqual([])
      }
    }
    await fillIn(page, { route: 'read-campaign', person: 'alice', fields: { campaignId: 'nope' } })
    const exchange = await send(page)
    await untilEnded(exchange)
    await exchange.getByRole('link', { name: 'Open the timeline' }).click()
    const waterfall = page.getByRole('region', { name: 'Waterfall' })
    await expect.poll(() => waterfall.getByRole('row').count()).toBe(3)
    // Whole texts: an id or a port may contain the same three digits.
    expect(await waterfall.getByText('404', { exact: true }).count()).toBe(2)
    expect(await page.getByText('500', { exact: true }).count()).toBe(0)
    const cells = waterfall.getByRole('cell').filter({ hasText: 'ms' })
    await cells.last().scrollIntoViewIfNeeded()
    const box = await cells.last().boundingBox()
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
    expect(opened.complaints).toEqual([])
  })

  test('unwatched background work is reported as still running', async () => {
    const { page, close } = await openConsole(stack().browser, stack().url, { theme: 'light', width: 1280 })
    onTestFinished(close)
    const fields = { campaignId: 'cmp-900' }
    await fillIn(page, { route: 'create-optimization', person: 'carol', fields, body: { goal: 'ctr' } })
    await page.getByText('Options', { exact: true }).click()
    await page.getByLabel('Work in the background (202)').check()
    const exchange = await send(page)
    await exchange.getByRole('progressbar', { name: 'Progress' }).waitFor()
    await exchange.getByRole('button', { name: 'Stop' }).click()
    await exchange.getByText('The service goes on with the work in the background.').waitFor()
  })

  describe('in any look', () => {
    let opened: ConsolePage
    let page: Page

    beforeAll(async () => {
      opened = await openConsole(stack().browser, stack().url, { theme: 'light', width: 1280 })
      page = opened.page
    })
    afterAll(() => opened?.close())
    afterEach(() => expect(opened.complaints).toEqual([]))

    test('a request is copied as a command that does the same', async () => {
      const fields = { campaignId: 'cmp-123' }
      await fillIn(page, { route: 'create-optimization', person: 'alice', fields, body: { goal: "it's" } })
      const command = await copied(page, 'Copy as curl')
      const answer = execFileSync('sh', ['-c', command], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      expect(answer).toMatch(/^HTTP\/1\.1 422 /)
      expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
        type: 'validation_failed',
        errors: [{ field: 'goal' }],
      })
      const code = await copied(page, 'Copy as SDK code')
      expect(code).toContain("goal: 'it\\'s'")
      expect(code).not.toMatch(/eyJ/)
    })

    test('a form that cannot be sent says why', async () => {
      await page.getByLabel('campaignId').fill('')
      await page.getByLabel('Body', { exact: true }).fill('{')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.getByRole('alert').getByText('Needed: it is part of the path.').waitFor()
      await page.getByRole('alert').getByText('This is not JSON').waitFor()
    })

    test('an exchange is finished by keyboard alone', async () => {
      const fields = { campaignId: 'cmp-123' }
      await fillIn(page, { route: 'create-optimization', person: 'alice', fields, body: {} })
      await page.getByLabel('campaignId').press('Enter')
      const exchange = page.getByRole('region', { name: 'Exchange' })
      await exchange.getByRole('button', { name: 'Answer' }).waitFor()
      await page.keyboard.press('Space')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('Enter')
      await untilEnded(exchange)
      await exchange.getByText('201 created').waitFor()
    })

    test('outside input is always shown as text', async () => {
      const hostile = '<img/src=x/onerror=document.title="owned"><b>bold</b>'
      await openView(page, 'Timeline')
      await postSwallowed(stack().url, { correlationId: hostile, operation: hostile })
      await page.getByLabel('Correlation id').fill(hostile)
      await page.getByRole('button', { name: 'Show', exact: true }).click()
      await page.getByRole('region', { name: 'Waterfall' }).getByText(hostile).first().waitFor()
      expect(await page.locator('main img, main b:text-is("bold")').count()).toBe(0)
      await expect.poll(() => page.title()).toMatch(/^Timeline: <img.* · Agentic REST console$/)
    })

    test('a chosen theme stays, and charts follow it', async () => {
      const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
      await openView(page, 'Live')
      const before = await background()
      await page.getByLabel('Theme').selectOption('dark')
      await expect.poll(background).not.toBe(before)
      await page.reload()
      await page.getByText('Connected').waitFor()
      await expect.poll(background).not.toBe(before)
      await expect.poll(() => page.getByLabel('Theme').inputValue()).toBe('dark')
      expect(await seriousFindings(page)).toEqual([])
    })

    test('an unknown correlation id is said to be unknown', async () => {
      await page.goto(`${stack().url}/#/timeline/nobody-knows-it`)
      await page.getByText('There is no record of this correlation id.').waitFor()
    })
  })

  // On the same stack: to start one takes as long as the tests of a view.
  describe('Timeline', () => testTimeline(stack))
  describe('Try', () => testTry(stack))
}
