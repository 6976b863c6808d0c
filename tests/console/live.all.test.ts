import { text } from 'node:stream/consumers'
import { sharedBrowser } from '@agentic-rest/testing/shared-browser'
import { describeWith } from '@agentic-rest/testing/test-with'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  type Look,
  mainThreadTime,
  openConsole,
  overflowOf,
  seriousFindings,
  showIn,
} from './console-browser.ts'
import { type LiveGateway, startLiveGateway } from './live-gateway.ts'

const alice = { actor: 'alice', tenant: 'acme' }
const carol = { actor: 'carol', tenant: 'globex' }
const wide: Look = { theme: 'light', width: 1280 }
/** A person waits no longer for the notice that a gateway hangs. */
const NOTICED_MS = 3000
// Multiples of the time of a loop that the page runs beside it, which are about 1,000 and 500 ms on a quiet machine.
const MOST_OPENING = 16
const MOST_SEARCHING = 8

describeWith('chromium', 'Live', watch)

function watch(): void {
  let gateway: LiveGateway
  let browser: Browser

  beforeAll(async () => {
    ;[gateway, browser] = await Promise.all([startLiveGateway(), sharedBrowser()])
    expect(await gateway.send('/items/1', alice)).toBe(200)
    expect(await gateway.send('/items/2', carol)).toBe(200)
    expect(await gateway.send('/items/3')).toBe(401)
    expect(await gateway.send('/slow/4', alice)).toBe(200)
    expect(await gateway.send('/gone/5', alice)).toBe(424)
    expect(await gateway.send('/broken/6', carol)).toBe(500)
    expect(await gateway.send('/nowhere/7', alice)).toBe(404)
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  async function open(place = '', look = wide): Promise<Page> {
    const opened = await openConsole(browser, `${gateway.adminUrl}/${place}`, look)
    onTestFinished(async () => {
      const { complaints } = opened
      await opened.close()
      expect(complaints).toEqual([])
    })
    return opened.page
  }

  test('it opens with the remembered requests, newest first, with code, rule and cause', async () => {
    const page = await open()
    await expect.poll(() => rowTexts(page)).toHaveLength(7)
    expect((await rowTexts(page)).map((text) => /\/\w+\/(\d)/.exec(text)?.[1])).toEqual([...'7654321'])
    const [nowhere, broken, gone] = await rowTexts(page)
    expect(nowhere).toContain('ROUTE_NOT_FOUND')
    expect(broken).toMatch(/TRACE_MISSING · trace_missing/)
    expect(gone).toMatch(/UPSTREAM_\w+ · ECONNREFUSED/)
    await page.getByText('the last 7').waitFor()
  })

  test('a row opens a panel with the reason and the steps, which has an address', async () => {
    const page = await open()
    await table(page).getByText('/gone/5').click()
    const detail = page.getByRole('region', { name: 'Request', exact: true })
    await detail.getByText('ECONNREFUSED', { exact: true }).waitFor()
    const steps = detail.getByRole('list', { name: 'Steps' }).getByRole('listitem')
    await expect
      .poll(() => steps.filter({ hasText: 'upstream' }).filter({ hasText: 'failed' }).count())
      .toBe(1)
    expect(await seriousFindings(page)).toEqual([])
    await page.reload()
    await detail.getByText('ECONNREFUSED', { exact: true }).waitFor()
    await detail.getByRole('button', { name: 'Close' }).click()
    await detail.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /details of GET \/broken\/6/ }).press('Enter')
    await detail.getByText('trace_missing', { exact: true }).waitFor()
    await detail.getByRole('link', { name: 'Open the timeline' }).click()
    await page.getByRole('region', { name: 'Waterfall' }).waitFor()
  })

  test('of two requests with one id the panel shows the chosen one', async () => {
    const { adminUrl, send, close } = await startLiveGateway()
    onTestFinished(close)
    expect(await send('/gone/1', { ...alice, requestId: 'twice' })).toBe(424)
    expect(await send('/items/2', { ...carol, requestId: 'twice' })).toBe(200)
    const opened = await openConsole(browser, adminUrl, wide)
    onTestFinished(opened.close)
    const { page } = opened
    await page.getByRole('button', { name: /details of GET \/gone\/1/ }).click()
    const detail = page.getByRole('region', { name: 'Request', exact: true })
    const failed = detail.getByRole('listitem').filter({ hasText: 'upstream' }).filter({ hasText: 'failed' })
    await failed.waitFor()
    await detail.getByText('/gone/1').waitFor()
    expect(await page.locator('tr.chosen').count()).toBe(1)
    await page.reload()
    await failed.waitFor()
    await page.getByRole('button', { name: /details of GET \/items\/2/ }).click()
    await detail.getByText('/items/2').waitFor()
    await expect.poll(() => failed.count()).toBe(0)
  })

  test('each field narrows the list, the address has the filters, and back undoes one at a time', async () => {
    const page = await open()
    const paths = async () => (await rowTexts(page)).map((text) => /\/\w+\/(\d)/.exec(text)?.[1]).join('')
    await expect.poll(paths).toBe('7654321')
    const fields = [
      ['Outcome', 'failed', '65'],
      ['Outcome', 'unauthenticated', '3'],
      ['Code', 'ROUTE_NOT_FOUND', '7'],
      ['Route', 'items', '321'],
      ['Tenant', 'globex', '62'],
      ['Actor', 'carol', '62'],
    ] as const
    for (const [label, value, left] of fields) {
      await page.getByLabel(label, { exact: true }).selectOption(value)
      await expect.poll(paths).toBe(left)
      expect(page.url()).toContain(`${label.toLowerCase()}=${value}`)
      await page.getByRole('button', { name: 'Show all' }).click()
    }
    await page.getByLabel('Slower than').fill('1.5 s')
    await expect.poll(paths).toBe('4')
    await page.getByLabel('Slower than').fill('soon')
    await page.getByRole('alert').getByText('Write a time such as 250 ms or 1.5 s.').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.locator('[data-search]').pressSequentially('econn')
    await expect.poll(paths).toBe('5')
    await page.getByLabel('Outcome', { exact: true }).selectOption('failed')
    await page.getByLabel('Tenant', { exact: true }).selectOption('acme')
    await expect.poll(paths).toBe('5')
    const link = page.url()
    await page.reload()
    await expect.poll(paths).toBe('5')
    expect(await page.locator('[data-search]').inputValue()).toBe('econn')
    const shared = await open(new URL(link).hash)
    await expect.poll(() => shared.getByLabel('Tenant', { exact: true }).inputValue()).toBe('acme')
    await expect.poll(async () => (await rowTexts(shared)).length).toBe(1)
    await page.goBack()
    await expect.poll(() => page.getByLabel('Tenant', { exact: true }).inputValue()).toBe('')
    expect(await page.getByLabel('Outcome', { exact: true }).inputValue()).toBe('failed')
    await page.goBack()
    await expect.poll(() => page.getByLabel('Outcome', { exact: true }).inputValue()).toBe('')
    expect(await page.locator('[data-search]').inputValue()).toBe('econn')
    await page.goBack()
    await expect.poll(paths).toBe('7654321')
    await page.locator('[data-search]').fill('no such thing')
    await page.getByText('No request fits the filters.').waitFor()
  })

  test('the shown requests are saved as JSON', async () => {
    const page = await open('#/live?tenant=globex')
    await expect.poll(async () => (await rowTexts(page)).length).toBe(2)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^requests-20[\dT-]+Z\.json$/)
    const saved = JSON.parse(await text(await download.createReadStream()))
    expect(saved).toMatchObject({ search: { tenant: 'globex' }, listed: 7 })
    expect(saved.requests).toMatchObject([
      { path: '/broken/6', status: 500, rule: 'trace_missing', actor: 'carol' },
      { path: '/items/2', status: 200, outcome: expect.any(String), tenant: 'globex' },
    ])
  })

  test('Timeline has the same search, in its address, and saves the list and the records of an exchange', async () => {
    const page = await open('#/timeline?actor=carol')
    const links = page.getByRole('region', { name: 'Recent exchanges' }).getByRole('listitem')
    await expect.poll(() => links.count()).toBe(2)
    await page.getByText('2 of the last 7').waitFor()
    await page.getByLabel('Code', { exact: true }).selectOption('TRACE_MISSING')
    await expect.poll(() => links.count()).toBe(1)
    expect(page.url()).toContain('actor=carol&code=TRACE_MISSING')
    await page.goBack()
    await expect.poll(() => links.count()).toBe(2)
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByLabel('Slower than').fill('1500 ms')
    await expect.poll(() => links.allTextContents()).toEqual([expect.stringContaining('GET slow')])
    await page.reload()
    await expect.poll(() => links.count()).toBe(1)
    const save = async () => {
      const saving = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export' }).click()
      return JSON.parse(await text(await (await saving).createReadStream()))
    }
    const saved = await save()
    expect(saved).toMatchObject({
      search: { slower: '1500 ms' },
      listed: 7,
      exchanges: [{ name: 'GET slow', status: 200, tenant: 'acme', actors: ['alice'], codes: [] }],
    })
    await links.first().click()
    await page.getByRole('region', { name: 'Waterfall' }).waitFor()
    expect(await save()).toMatchObject({
      correlationId: saved.exchanges[0].correlationId,
      records: [{ part: 'gateway', actor_id: 'alice', attributes: { path: '/slow/4', status: '200' } }],
    })
  })

  test('absent and zero times are unknown, never 1970', async () => {
    const { page, close } = await openConsole(browser, `${gateway.adminUrl}/#/usage`, wide)
    onTestFinished(close)
    await page.route('**/api/requests', (route) => {
      const row = { method: 'GET', route: 'items', outcome: 'success', status: 200, durationMs: 1 }
      const times = [
        {},
        { at: null },
        { at: 0 },
        { at: '1970-01-01T00:00:00.000Z' },
        { at: '0001-01-01T00:00:00Z' },
      ]
      const requests = times.map((time, index) => ({
        ...row,
        ...time,
        spanId: `${index}`,
        path: `/items/${index}`,
      }))
      return route.fulfill({ json: { requests, next: null } })
    })
    await page.goto(`${gateway.adminUrl}/#/live`)
    await page.reload()
    await expect.poll(() => table(page).getByText('unknown', { exact: true }).count()).toBe(5)
    const text = await page.locator('main').textContent()
    expect(text).not.toMatch(/1970|NaN|Invalid|00:00:00/)
  })

  test.each([1280, 360])('every state is in order, at %i px', async (width) => {
    const page = await open('', { theme: 'light', width })
    const check = async (state: string) => {
      for (const theme of ['dark', 'light'] as const) {
        await showIn(page, { theme, width })
        expect(await overflowOf(page), state).toBe(0)
        expect(await seriousFindings(page), state).toEqual([])
        await keepPicture(page, `${state}-${theme}-${width}`)
      }
    }
    await expect.poll(async () => (await rowTexts(page)).length).toBe(7)
    await check('list')
    await page.getByRole('button', { name: /details of GET \/gone\/5/ }).click()
    await page.getByRole('list', { name: 'Steps' }).waitFor()
    await check('panel')
    await page.getByLabel('Slower than').fill('soon')
    await page.getByRole('alert').waitFor()
    await check('fault')
    await page.goto(`${gateway.adminUrl}/#/live?text=nothing+at+all`)
    await page.getByText('No request fits the filters.').waitFor()
    await check('none')
    await page.goto(`${gateway.adminUrl}/#/timeline`)
    await page.getByRole('region', { name: 'Recent exchanges' }).getByRole('listitem').first().waitFor()
    await check('timeline')
    await page.getByLabel('Text').fill('nothing at all')
    await page.getByText('No exchange fits the filters.').waitFor()
    await check('timeline-none')
  })

  test('5,000 remembered requests open and are searched without a freeze', async () => {
    const many = await startLiveGateway()
    onTestFinished(() => many.close())
    const people = [alice, carol, { actor: 'dave', tenant: 'initech' }]
    const send = async (start: number) => {
      for (let index = start; index < 5_010; index += 16)
        await many.send(`/items/${index}`, people[index % 3])
    }
    await Promise.all(Array.from({ length: 16 }, (_, start) => send(start)))
    const { page, close } = await openConsole(browser, many.adminUrl, wide)
    onTestFinished(close)
    const count = page.getByText('the last 5,000', { exact: true })
    await count.waitFor()
    const busyMs = await mainThreadTime(page)
    const beforeOpening = await busyMs()
    await page.reload()
    await count.waitFor()
    const opening = (await busyMs()) - beforeOpening
    const beforeReference = await busyMs()
    await page.evaluate('for (let sum = 0, step = 0; step < 5e7; step += 1) sum += step % 7')
    const reference = (await busyMs()) - beforeReference
    await page.evaluate(searching)
    const searches: number[] = []
    for (const [text, rows] of [
      ['/items/4999', 1],
      // A third of the requests; it is not known which ten were forgotten.
      ['carol', 1_665],
      ['nothing of this', 0],
      ['', 5_000],
    ] as const) {
      const before = await busyMs()
      await page.evaluate(`typeText(${JSON.stringify(text)}, ${rows})`)
      searches.push((await busyMs()) - before)
    }
    // The last row too, though only those in view are drawn.
    await table(page).evaluate((region) => Object.assign(region, { scrollTop: 1e9 }))
    await table(page).locator('tr[aria-rowindex="5001"]').waitFor()
    const drawn = await table(page).locator('tbody tr.opens').count()
    process.stdout.write(
      `5,000 requests: the page was busy for ${Math.round(opening)} ms to open, ` +
        `${searches.map(Math.round).join(', ')} ms to search, ${Math.round(reference)} ms for the reference; ${drawn} rows drawn\n`,
    )
    expect(drawn).toBeLessThanOrEqual(80)
    expect(opening / reference).toBeLessThanOrEqual(MOST_OPENING)
    expect(Math.max(...searches) / reference).toBeLessThanOrEqual(MOST_SEARCHING)
    expect(await seriousFindings(page)).toEqual([])
  })

  test('a gateway that hangs is noticed within 3 s, on every view, and so is its return', async () => {
    const page = await open('', { theme: 'light', width: 360 })
    // The page has a clock of the test: on a busy machine its own is late.
    await page.clock.install()
    await page.reload()
    await expect.poll(() => rowTexts(page)).toHaveLength(7)
    for (let round = 0; round < 3; round += 1) {
      const alert = page.getByRole('alert').getByText('The gateway does not answer.')
      gateway.signal('SIGSTOP')
      const at = new Date(await page.evaluate<number>('Date.now()'))
      await page.clock.runFor(NOTICED_MS)
      await alert.waitFor()
      await page.getByText('No answer', { exact: true }).waitFor()
      const told = (await page.getByRole('alert').textContent()) ?? ''
      const [since = ''] = /(?<=Nothing has come since )\d\d:\d\d:\d\d/.exec(told) ?? []
      const seconds = (text: string) => text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
      const clock = at.toLocaleTimeString('en-GB', { hour12: false })
      expect(Math.abs(seconds(clock) - seconds(since))).toBeLessThanOrEqual(2)
      expect(await seriousFindings(page)).toEqual([])
      await keepPicture(page, `hangs-${round}`)
      gateway.signal('SIGCONT')
      await alert.waitFor({ state: 'detached' })
      await page.getByText('Connected', { exact: true }).waitFor()
    }
  })
}

// Types a text and waits for its result.
const searching = `
  typeText = async (text, rows) => {
    const field = document.querySelector('[data-search]')
    field.value = text
    field.dispatchEvent(new Event('input', { bubbles: true }))
    const shown = () => Number(document.querySelector('.requests-table')?.getAttribute('aria-rowcount') ?? 1) - 1
    while (shown() < rows || shown() > rows + 10) await new Promise(requestAnimationFrame)
  }
`

function table(page: Page) {
  return page.getByRole('region', { name: 'Requests, newest first' })
}

/** The texts of the drawn rows. */
function rowTexts(page: Page): Promise<string[]> {
  return table(page).locator('tbody tr.opens').allInnerTexts()
}

/** Keeps a picture in the folder of the environment, to look at. */
async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env['AGENTIC_PICTURE_FOLDER']
  if (folder !== undefined) await page.screenshot({ path: `${folder}/live-${name}.png`, fullPage: true })
}
