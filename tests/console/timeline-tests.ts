import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  type ConsolePage,
  type Look,
  openConsole,
  overflowOf,
  picture,
  seriousFindings,
  showIn,
} from './console-browser.ts'
import type { ConsoleStack } from './console-stack.ts'
import { askApproval, optimize, pollToEnd, startWork, Traffic } from './exchange-traffic.ts'

/** The tests of Timeline, on a running stack. */
export function testTimeline(stack: () => ConsoleStack): void {
  let url: string
  let traffic: Traffic
  let opened: ConsolePage
  let page: Page

  const wide: Look = { theme: 'light', width: 1280 }
  const looks: readonly Look[] = [{ theme: 'dark', width: 360 }, wide]

  /** Checks the state that a test has led to in both looks, and that these are seen in both. */
  async function checkLooks(...seen: readonly Locator[]): Promise<void> {
    for (const look of looks) {
      await showIn(page, look)
      const shown = `${look.theme}, ${look.width} px`
      expect(await overflowOf(page), shown).toBe(0)
      expect(await seriousFindings(page), shown).toEqual([])
      for (const each of seen) expect(await each.isVisible(), `${shown}: ${each}`).toBe(true)
    }
  }

  beforeAll(async () => {
    url = stack().url
    traffic = new Traffic(url, stack().gatewayUrl)
    opened = await openConsole(stack().browser, url, wide)
    page = opened.page
  })
  afterAll(() => opened?.close())
  afterEach(() => expect(opened.complaints).toEqual([]))

  /** The row of an exchange in the list. */
  async function listed(correlationId: string) {
    await page.goto(`${url}/#/timeline`)
    return page.getByRole('listitem').filter({ hasText: correlationId })
  }

  test('a pending approval is listed as waiting, also after polls and other requests', async () => {
    const { correlationId, approval, approved, send } = await askApproval(traffic)
    await send({ person: 'alice', path: approval })
    await send({ person: 'alice', path: approval })
    await send({ person: 'alice', path: '/campaigns/cmp-enterprise' })
    const row = await listed(correlationId)
    const badge = row.locator('.badge')
    await expect.poll(() => badge.textContent()).toBe('412 waiting for approval')
    expect(await badge.getAttribute('class')).toBe('badge asks')
    await row.getByText('POST create-optimization').waitFor()
    await send({ person: 'dave', method: 'POST', path: `${approval}/approve`, body: {} })
    await expect.poll(() => badge.textContent()).toBe('412 approved, not sent again')
    await send({ person: 'alice', path: approval })
    await send({ ...optimize, headers: approved })
    await expect.poll(() => badge.textContent()).toBe('201 created')
    await checkLooks(badge)
  })

  test('a rejected approval and an open question are listed as what they are', async () => {
    const { correlationId, approval, send } = await askApproval(traffic)
    await send({ person: 'dave', method: 'POST', path: `${approval}/reject`, body: {} })
    const question = traffic.open()
    await question.send({
      person: 'alice',
      method: 'POST',
      path: '/campaigns/cmp-123/optimizations',
      body: {},
    })
    await question.send({ person: 'alice', path: '/campaigns/cmp-123' })
    const rejected = (await listed(correlationId)).locator('.badge')
    await expect.poll(() => rejected.textContent()).toBe('412 approval rejected')
    const waiting = (await listed(question.correlationId)).locator('.badge')
    await expect.poll(() => waiting.textContent()).toBe('400 waiting for input')
    await checkLooks(rejected, waiting)
  })

  test('work in the background is listed as running, and then as its result with its time', async () => {
    const work = await startWork(traffic)
    await work.send({ person: 'carol', path: work.statusUrl })
    const row = await listed(work.correlationId)
    const badge = row.locator('.badge')
    await expect.poll(() => badge.textContent()).toBe('202 running in the background')
    await pollToEnd(work)
    await expect.poll(() => badge.textContent(), { timeout: 15_000 }).toBe('201 created')
    const time = row.getByText(/ s in background$/)
    await time.waitFor()
    await checkLooks(badge, time)
  })

  test('a pending approval waits on its page too, and its polls are one row', async () => {
    const { correlationId, approval, send } = await askApproval(traffic)
    for (let count = 0; count < 12; count++) await send({ person: 'alice', path: approval })
    await send({ person: 'dave', path: approval })
    await page.goto(`${url}/#/timeline/${correlationId}`)
    const title = page.locator('.summary .title')
    await expect.poll(() => title.textContent()).toBe('POST create-optimization 412 waiting for approval ')
    expect(await title.locator('.badge').getAttribute('class')).toBe('badge asks')
    const polls = rows().getByRole('button', { name: '12 polls' })
    await polls.waitFor()
    await rows().getByRole('button', { name: '1 poll read-approval' }).waitFor()
    // All are requests of the callers: none is below the service.
    const callers = page.getByRole('region', { name: 'Hop graph' }).getByRole('img')
    const seen = () => callers.getAttribute('aria-label')
    await expect
      .poll(seen, { timeout: 15_000 })
      .toBe(
        'gateway answered alice with approval required; campaigns answered gateway with approval required; ' +
          'gateway answered alice with success; campaigns answered gateway with success; ' +
          'gateway answered dave with success; campaigns answered gateway with success',
      )
    const before = await rows().count()
    await polls.press('Enter')
    await expect.poll(() => rows().count()).toBe(before + 24)
    expect(await polls.getAttribute('aria-expanded')).toBe('true')
    await polls.press('Space')
    await expect.poll(() => rows().count()).toBe(before)
    await checkLooks(title, polls)
  })

  test('finished work is its result, with a bar for its time, and polls beside it', async () => {
    const work = await startWork(traffic)
    // Another person, with the same correlation id, while the service works.
    await work.send({ person: 'alice', path: '/campaigns/cmp-123' })
    const polls = await pollToEnd(work)
    await page.goto(`${url}/#/timeline/${work.correlationId}`)
    const title = page.locator('.summary .title')
    await expect.poll(() => title.textContent()).toBe('POST create-optimization 201 created ')
    await page.locator('.summary').getByText('In the background').waitFor()
    const polled = rows().getByRole('button', { name: `${polls} polls` })
    await polled.waitFor()
    await picture(page, `background-${wide.theme}-${wide.width}`)
    const background = rows().filter({ hasText: 'in the background' })
    await background.getByText('201 created').waitFor()
    const [bar, track] = [background.locator('.bar'), background.locator('.track')]
    for (const look of looks) {
      await showIn(page, look)
      const [barBox, trackBox] = [await bar.boundingBox(), await track.boundingBox()]
      expect((barBox?.width ?? 0) / (trackBox?.width ?? 1)).toBeGreaterThan(0.5)
    }
    const graph = page.getByRole('region', { name: 'Hop graph' }).getByRole('img')
    const calls = (await graph.getAttribute('aria-label')) ?? ''
    expect(calls).toContain('gateway answered alice with success')
    expect(calls).not.toContain('answered campaigns')
    await checkLooks(title, polled, background.getByText('201 created'))
  })

  test('a hop opens by keyboard to its steps, times and headers, without secrets', async () => {
    const exchange = traffic.open()
    await exchange.send({
      person: 'bob',
      method: 'POST',
      path: '/campaigns/cmp-123/optimizations',
      body: { goal: 'ctr' },
      headers: {
        'x-approval-token': 'a-secret-value',
        cookie: 'a-secret-value',
        'x-own': 'a-secret-value',
      },
    })
    await page.goto(`${url}/#/timeline/${exchange.correlationId}`)
    const hop = rows().getByRole('button', { name: 'gateway create-optimization' })
    await hop.focus()
    await page.keyboard.press('Enter')
    const detail = page.locator('.hop-detail')
    await detail.getByText('route-policy').first().waitFor()
    const steps = detail.getByRole('list', { name: 'Steps' }).getByRole('listitem')
    const lines = (await steps.allInnerTexts()).map((step) => step.replace(/\s+/g, ' '))
    expect(lines).toContainEqual(expect.stringMatching(/^admit passed [\d.]+ ms$/))
    expect(lines).toContainEqual(expect.stringMatching(/^token-validator refused [\d.]+ ms [A-Z_]+/))
    const fact = async (name: string) =>
      (await detail.locator('dl > div').filter({ hasText: name }).first().locator('dd').textContent()) ?? ''
    expect(await fact('Status')).toBe('403')
    expect(await fact('Code')).toMatch(/^[A-Z_]+$/)
    expect(await fact('Step')).toBe('token-validator')
    expect(await fact('Client address')).toBe('127.0.0.1')
    expect(await fact('authorization')).toBe('[hidden]')
    expect(await fact('x-approval-token')).toBe('[hidden]')
    await detail.getByRole('region', { name: 'Response headers' }).getByText('application/').waitFor()
    const shown = await page.locator('main').textContent()
    expect(shown).not.toContain('a-secret-value')
    expect(shown).not.toContain('x-own')
    await checkLooks(hop, detail)
    await page.keyboard.press('Enter')
    await expect.poll(() => detail.count()).toBe(0)
    await checkLooks(hop)
  })

  /** The rows of the waterfall. */
  function rows() {
    return page.getByRole('region', { name: 'Waterfall' }).locator('tbody').getByRole('row')
  }
}
