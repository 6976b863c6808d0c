import { consoleFolder } from '@agentic-rest/console'
import { sharedBrowser } from '@agentic-rest/testing/shared-browser'
import { describeWith } from '@agentic-rest/testing/test-with'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { development } from '../../packages/gateway/test/admin/harness/start-admin.ts'
import { clientName, startTools } from '../../packages/gateway/test/admin/harness/start-tools.ts'
import { type Look, looks, openConsole, overflowOf, showIn, violations } from './console-browser.ts'

// The page replaces the character that reorders a line.
const shownName = clientName.slice(0, 64).replace('\u202E', '\uFFFD')

// Each theme and each width once; the views themselves are checked in every look by another test.
const opposites: readonly Look[] = [
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 360 },
]

describeWith('chromium', 'tools in the console', showTools)

function showTools(): void {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  afterAll(() => browser?.close())

  /** Checks the page in some looks: WCAG 2.2 AA by axe, and no scrolling to the side. */
  async function sweep(page: Page, state: string, some = opposites): Promise<void> {
    for (const look of some) {
      await showIn(page, look)
      expect(await violations(page), `${state}, ${look.theme} at ${look.width}`).toEqual([])
      expect(await overflowOf(page), `${state}, ${look.theme} at ${look.width}`).toBe(0)
    }
    await page.setViewportSize({ width: 1280, height: 820 })
  }

  test('Routes shows tools and targets, Live and Timeline the calls of MCP clients', async () => {
    const { adminUrl, url, takeRoom } = await startTools({ admin: { consoleFolder, development } })
    await takeRoom('stay-1')
    await (await fetch(`${url}/rooms`, { headers: { 'X-Tenant-ID': 'acme' } })).arrayBuffer()
    const opened = await openConsole(browser, `${adminUrl}/#/routes`, { theme: 'light', width: 1280 })
    onTestFinished(async () => {
      const { complaints } = opened
      await opened.close()
      expect(complaints).toEqual([])
    })
    const { page } = opened

    const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name })
    const tools = page.getByRole('region', { name: 'Table of routes' })
    await tools.getByRole('columnheader', { name: 'MCP tool' }).waitFor()
    const toolOf = (name: string) => rowOf(name).getByRole('cell').nth(2).textContent()
    expect(await toolOf('take-room')).toBe('take-room')
    expect(await toolOf('read-room')).toBe(
      'see-roomno tool now: the document of the service cannot be read (no_document)',
    )
    expect(await toolOf('list-rooms')).toBe('–')
    const targets = page.getByRole('region', { name: 'Table of upstreams' })
    await targets.getByText('out: its checks fail').waitFor()
    const rows = await targets.getByRole('row').all()
    const cells = await Promise.all(rows.map((row) => row.locator('th, td').allTextContents()))
    expect(cells).toEqual([
      ['Upstream', 'Target', 'State', 'Share', 'In progress'],
      ['rooms 1', expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), 'in use', '1', '0'],
      ['rooms 2', expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), 'out: its checks fail', '2', '0'],
    ])
    await sweep(page, 'routes', looks)
    await page.getByLabel('Search the routes').fill('no_document')
    await expect.poll(() => page.getByRole('link', { name: /^Try / }).count()).toBe(1)

    await page.goto(`${adminUrl}/#/live`)
    const requests = page.locator('.requests-table .opens')
    await expect.poll(() => requests.count()).toBe(3)
    await page.getByLabel('Via', { exact: true }).selectOption(`client ${shownName}`)
    await expect.poll(() => requests.count()).toBe(2)
    await page.getByLabel('Via', { exact: true }).selectOption('tool take-room')
    expect(await requests.count()).toBe(2)
    expect(await requests.first().textContent()).toContain(`via MCP, round 2, ${shownName}`)
    await requests.first().getByRole('button').click()
    const detail = page.getByRole('region', { name: 'Request', exact: true })
    await detail.getByText('MCP 2026-07-28').waitFor()
    expect(await detail.locator('.detail-facts').textContent()).toContain('Tooltake-roomClient<b>Desk')
    await sweep(page, 'live')

    await page.goto(`${adminUrl}/#/timeline`)
    const listed = page.getByRole('link', { name: /stay-1/ })
    expect(await listed.textContent()).toContain(`via MCP, round 2, ${shownName}`)
    await sweep(page, 'list of exchanges')
    await listed.click()
    const facts = page.locator('.summary .fact-row')
    await facts.getByText('MCP 2026-07-28').waitFor()
    expect(await facts.textContent()).toContain(`Tooltake-roomClient${shownName}Round2`)
    const waterfall = page.getByRole('region', { name: 'Waterfall' })
    await waterfall.getByRole('button', { name: /round 1/ }).click()
    expect(await waterfall.locator('.hop-detail .fact-row').textContent()).toContain('ViaMCP 2026-07-28')
    await sweep(page, 'exchange')
  })
}
