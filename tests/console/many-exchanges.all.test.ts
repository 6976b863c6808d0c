import { consoleFolder } from '@agentic-rest/console'
import { eventually } from '@agentic-rest/testing/eventually'
import { sharedBrowser } from '@agentic-rest/testing/shared-browser'
import { testWith } from '@agentic-rest/testing/test-with'
import type { Browser } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { development, sendItem, startAdmin } from '../../packages/gateway/test/admin/harness/start-admin.ts'
import { mainThreadTime, openConsole, overflowOf } from './console-browser.ts'

const FEW = 500
const MANY = 5000
const AT_ONCE = 50
const MOST_ROWS = 200
/** Ten times the exchanges cost less than ten times the work: the same rows are drawn. */
const MOST_GROWTH = 10

testWith('chromium', 'Timeline stays quick with 5,000 remembered exchanges', async () => {
  const { adminUrl, url } = await startAdmin({ admin: { development, consoleFolder } })
  const browser = await sharedBrowser()
  onTestFinished(() => browser.close())
  const send = async (from: number, to: number) => {
    for (let sent = from; sent < to; sent += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => sendItem(url, `many-${sent + index}`)))
  }
  const recent = async () => {
    const answer = await fetch(`${adminUrl}/api/recent?limit=512`)
    return ((await answer.json()) as { exchanges: unknown[] }).exchanges.length
  }
  await send(0, FEW)
  await eventually(recent, (count) => count === FEW)
  const few = await busyWith(browser, adminUrl, FEW)
  await send(FEW, MANY)
  await eventually(recent, (count) => count === 512)
  const many = await busyWith(browser, adminUrl, MANY)
  process.stderr.write(
    `Timeline works for ${Math.round(few)} ms with ${FEW} exchanges, ${Math.round(many)} ms with ${MANY}\n`,
  )
  expect(many / few).toBeLessThan(MOST_GROWTH)
})

/** Walks through Timeline; resolves with the milliseconds that the page has worked. */
async function busyWith(browser: Browser, adminUrl: string, remembered: number): Promise<number> {
  const { page, complaints, close } = await openConsole(browser, adminUrl, { theme: 'light', width: 1280 })
  const busyMs = await mainThreadTime(page)
  const before = await busyMs()
  await page.getByRole('navigation').getByRole('link', { name: 'Timeline', exact: true }).click()
  const rows = page.locator('.recent > li')
  await expect.poll(() => rows.count()).toBe(100)
  await page.getByRole('button', { name: 'Show older exchanges' }).click()
  await expect.poll(() => rows.count()).toBe(MOST_ROWS)
  await page.getByText(`${remembered - MOST_ROWS} more`).waitFor()
  await rows.last().scrollIntoViewIfNeeded()
  // Two refreshes redraw the list while all exchanges are loaded.
  for (let turn = 0; turn < 2; turn++) await page.waitForResponse(/\/api\/recent/)
  const busy = (await busyMs()) - before
  expect(await overflowOf(page)).toBe(0)
  await rows.last().getByRole('link').click()
  await page.getByRole('region', { name: 'Waterfall' }).getByText('200 success').waitFor()
  expect(complaints).toEqual([])
  await close()
  return busy
}
