import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freeBase, type NpmStack, newFolder, npmStart } from '../../examples/stack/test/harness/run-npm.ts'
import { ensureProgram, testWithProgram } from '../debian-package.ts'
import {
  type ConsolePage,
  type Look,
  openConsole,
  overflowOf,
  seriousFindings,
  startBrowser,
} from './console-browser.ts'
import { askApproval, optimize, pollToEnd, startWork, Traffic } from './exchange-traffic.ts'

const needed = { program: 'chromium', package: 'chromium' }
const found = ensureProgram(needed)

if ('missing' in found) testWithProgram(needed, 'Timeline tells the truth', () => expect.fail(found.missing))
else watchTimeline(found.path)

function watchTimeline(executablePath: string): void {
  const folder = newFolder()
  let stack: NpmStack
  let browser: Browser
  let url: string
  let traffic: Traffic

  beforeAll(async () => {
    const portBase = await freeBase()
    ;[stack, browser] = await Promise.all([
      npmStart({ portBase, data: folder.path, options: ['--memory'] }),
      startBrowser(executablePath),
    ])
    url = `http://127.0.0.1:${portBase + 10}`
    traffic = new Traffic(url, stack.url)
  })
  afterAll(async () => {
    await browser?.close()
    stack?.npm.kill('SIGTERM')
    await stack?.ended
    folder.remove()
  })

  const looks: readonly Look[] = [
    { theme: 'light', width: 1280 },
    { theme: 'dark', width: 360 },
  ]

  describe.each(looks)('$theme, $width px', ({ theme, width }) => {
    let opened: ConsolePage
    let page: Page

    beforeAll(async () => {
      opened = await openConsole(browser, url, { theme, width })
      page = opened.page
    })
    afterAll(() => opened?.close())
    afterEach(async () => {
      expect(opened.complaints).toEqual([])
      expect(await overflowOf(page)).toBe(0)
      expect(await seriousFindings(page)).toEqual([])
    })

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
    })

    test('work in the background is listed as running, and then as its result with its time', async () => {
      const work = await startWork(traffic)
      await work.send({ person: 'carol', path: work.statusUrl })
      const row = await listed(work.correlationId)
      const badge = row.locator('.badge')
      await expect.poll(() => badge.textContent()).toBe('202 running in the background')
      await pollToEnd(work)
      await expect.poll(() => badge.textContent(), { timeout: 15_000 }).toBe('201 created')
      await row.getByText(/ s in background$/).waitFor()
    })
  })
}
