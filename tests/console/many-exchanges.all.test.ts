import { consoleFolder } from '@agentic-rest/console'
import { eventually } from '@agentic-rest/testing/eventually'
import { sharedBrowser } from '@agentic-rest/testing/shared-browser'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect, onTestFinished } from 'vitest'
import { development, sendItem, startAdmin } from '../../packages/gateway/test/admin/harness/start-admin.ts'
import { openConsole, overflowOf } from './console-browser.ts'

const REMEMBERED = 5000
const AT_ONCE = 50
const MOST_ROWS = 200
// A longer task is a visible freeze; a loaded machine multiplies the few milliseconds that it takes.
const FREEZE_MS = 500

testWith('chromium', 'Timeline stays quick with 5,000 remembered exchanges', async () => {
  const { adminUrl, url } = await startAdmin({ admin: { development, consoleFolder } })
  for (let sent = 0; sent < REMEMBERED; sent += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => sendItem(url, `many-${sent + index}`)))
  await eventually(
    async () => (await (await fetch(`${adminUrl}/api/recent?limit=512`)).json()) as { exchanges: unknown[] },
    ({ exchanges }) => exchanges.length === 512,
  )
  const browser = await sharedBrowser()
  onTestFinished(() => browser.close())
  const { page, complaints } = await openConsole(browser, adminUrl, { theme: 'light', width: 1280 })
  await page.evaluate(`
      globalThis.longestTask = 0
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) globalThis.longestTask = Math.max(globalThis.longestTask, duration)
      }).observe({ entryTypes: ['longtask'] })
    `)
  await page.getByRole('navigation').getByRole('link', { name: 'Timeline', exact: true }).click()
  const rows = page.locator('.recent > li')
  await expect.poll(() => rows.count()).toBe(100)
  await page.getByRole('button', { name: 'Show older exchanges' }).click()
  await expect.poll(() => rows.count()).toBe(MOST_ROWS)
  await page.getByText(`${REMEMBERED - MOST_ROWS} more`).waitFor()
  await rows.last().scrollIntoViewIfNeeded()
  // Two refreshes redraw the list while all exchanges are loaded.
  for (let turn = 0; turn < 2; turn++) await page.waitForResponse(/\/api\/recent/)
  const longest = await page.evaluate<number>('globalThis.longestTask')
  process.stderr.write(`longest task with ${REMEMBERED} exchanges: ${Math.round(longest)} ms\n`)
  expect(longest).toBeLessThan(FREEZE_MS)
  expect(await overflowOf(page)).toBe(0)
  await rows.last().getByRole('link').click()
  await page.getByRole('region', { name: 'Waterfall' }).getByText('200 success').waitFor()
  expect(complaints).toEqual([])
})
