import { requestToken } from '@agentic-rest/stack'
import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { type ConsolePage, type Look, openConsole } from './console-browser.ts'
import type { ConsoleStack } from './console-stack.ts'
import { copied, fillBody, fillIn, focused, openView, send, untilEnded } from './try-flow.ts'

/** The tests of Try, on a running stack. */
export function testTry(stack: () => ConsoleStack): void {
  let opened: ConsolePage | undefined

  async function open(place = 'try', look: Look = { theme: 'light', width: 1280 }): Promise<Page> {
    const { browser, url } = stack()
    opened = await openConsole(browser, `${url}/#/${place}`, look)
    return opened.page
  }
  afterEach(async () => {
    const complaints = opened?.complaints
    await opened?.close()
    expect(complaints).toEqual([])
  })

  const history = (page: Page) => page.locator('details.history')
  const exchangeOf = (page: Page) => page.getByRole('region', { name: 'Exchange' })

  test('inputs are fields by the schema of the service, and Ctrl+Enter sends them', async () => {
    const page = await open()
    await fillIn(page, { route: 'create-optimization', person: 'alice', fields: { campaignId: 'cmp-123' } })
    await page.getByText('Suggests changes to a campaign that bring it closer to a goal.').waitFor()
    const goal = page.getByLabel('goal', { exact: true })
    expect(await goal.locator('option').allInnerTexts()).toEqual([
      'Not given: the service asks',
      ...['ctr', 'conversions', 'reach', 'cpl', 'conversion_rate', 'lead_quality'],
    ])
    const about = await goal.getAttribute('aria-describedby')
    expect(await page.locator(`[id="${about}"]`).textContent()).toBe(
      'What is the campaign to be optimized for?',
    )
    const parameter = page.getByLabel('campaignId', { exact: true })
    await page.getByText('in the path · text · required').waitFor()
    expect(await parameter.getAttribute('placeholder')).toBe('e.g. cmp-123')
    await goal.selectOption({ label: 'reach' })
    await parameter.press('Control+Enter')
    await untilEnded(exchangeOf(page))
    await exchangeOf(page).getByText('201 created').waitFor()
    const answer = exchangeOf(page).getByRole('region', { name: 'Answer 1' })
    await answer.getByText('"goal": "reach"').waitFor()
    expect(await answer.locator('.json-key', { hasText: '"goal"' }).count()).toBe(1)
    expect(await answer.locator('.json-text', { hasText: '"reach"' }).count()).toBe(1)
    expect(JSON.parse(await copied(page, 'Copy body'))).toMatchObject({ goal: 'reach' })
  })

  test('the field of the tenant says that the token decides', async () => {
    const page = await open()
    const about = await page.getByLabel('Tenant', { exact: true }).getAttribute('aria-describedby')
    expect(await page.locator(`[id="${about}"]`).textContent()).toBe(
      "The tenant comes from the token: a person's token needs a tenant claim. " +
        'This field picks one of several, and names the tenant of a service account.',
    )
  })

  test('fields and JSON are two views of one body', async () => {
    const page = await open('try/llm-completions')
    await page.getByLabel('max_tokens', { exact: true }).fill('0')
    await page.getByText('This has to be at least 1.').waitFor()
    await page.getByLabel('max_tokens', { exact: true }).fill('7')
    await page.getByLabel('prompt', { exact: true }).fill('Hello')
    await page.getByLabel('stream', { exact: true }).selectOption({ label: 'No' })
    await page.getByRole('radio', { name: 'As JSON' }).check()
    const body = page.getByLabel('Body', { exact: true })
    expect(JSON.parse(await body.inputValue())).toEqual({ max_tokens: 7, prompt: 'Hello', stream: false })
    await body.fill('{"prompt":"Bye","extra":1}')
    await page.getByRole('radio', { name: 'Fields' }).check()
    await expect.poll(() => page.getByLabel('prompt', { exact: true }).inputValue()).toBe('Bye')
    await page.getByText('Also sent, though not described: extra.').waitFor()
    const options = page.getByLabel('stream_options', { exact: true })
    await options.fill('{"include_usage":')
    await send(page)
    await page.getByRole('alert').getByText('This is not JSON').waitFor()
    expect(await exchangeOf(page).count()).toBe(0)
    await options.fill('{"include_usage": 3}')
    await page.getByText('include_usage has to be a yes or no.').waitFor()
    await options.fill('{"include_usage": true}')
    await expect.poll(() => page.locator('.field-fault').count()).toBe(0)
  })

  test('query inputs are fields too', async () => {
    const page = await open()
    const fields = { campaignId: 'cmp-123', days: '3' }
    await fillIn(page, { route: 'forecast-campaign', person: 'alice', fields })
    await page.getByText('in the query · whole number · default 14').waitFor()
    await send(page)
    await untilEnded(exchangeOf(page))
    await exchangeOf(page).getByText('GET /campaigns/cmp-123/forecast?days=3').waitFor()
    await exchangeOf(page).getByRole('region', { name: 'Answer 1' }).getByText('"days": 3').waitFor()
  })

  test('without a document the body is text, and the reason is said', async () => {
    const page = await open('live')
    await page.route('**/api/openapi?*', (route) =>
      route.fulfill({ status: 404, json: { code: 'NOT_FOUND', message: 'There is no document.' } }),
    )
    await fillIn(page, { route: 'create-optimization', person: 'alice', fields: { campaignId: 'cmp-123' } })
    await page.getByText('The fields are not known. There is no document.').waitFor()
    await fillBody(page, '{"goal":"ctr"}')
    await page.unroute('**/api/openapi?*')
    await page.getByRole('button', { name: 'Ask again' }).click()
    await expect.poll(() => page.getByLabel('Body', { exact: true }).count()).toBe(0)
    await expect.poll(() => page.getByLabel('goal', { exact: true }).inputValue()).toBe('#0')
  })

  test('a method and path without a route are said to be unknown before they are sent', async () => {
    const page = await open('try/no-such-route')
    await page.getByText('No route has the id no-such-route.').waitFor()
    await page.getByLabel('Route', { exact: true }).selectOption('Another method and path…')
    const path = page.getByLabel('Path', { exact: true })
    await path.fill('/nothing/here')
    await page.getByText('No route matches GET /nothing/here. No service gets this request.').waitFor()
    await page.getByLabel('Method', { exact: true }).selectOption('DELETE')
    await path.fill('/campaigns/cmp-123')
    await page.getByText('No route matches DELETE /campaigns/cmp-123. The path has routes for GET.').waitFor()
    await page.getByLabel('Person').selectOption('alice')
    await page.getByRole('button', { name: 'Get token' }).click()
    await page.getByText('Token of alice').waitFor()
    await path.press('Control+Enter')
    await exchangeOf(page).getByText('405 method not allowed').waitFor()
    await path.fill('campaigns')
    await send(page)
    await page.getByRole('alert').getByText('This has to begin with a slash.').waitFor()
    await page.getByLabel('Method', { exact: true }).selectOption('GET')
    await path.fill('/campaigns/cmp-9')
    await page.getByText('This is the route read-campaign.').waitFor()
    await page.getByRole('button', { name: 'Use its form' }).click()
    await expect.poll(() => page.getByLabel('campaignId', { exact: true }).inputValue()).toBe('cmp-9')
    expect(page.url()).toMatch(/#\/try\/read-campaign$/)
  })

  test('the history keeps 50 requests without tokens, gives one back, and is cleared', async () => {
    const page = await open()
    await fillIn(page, { route: 'read-campaign', person: 'alice', fields: { campaignId: 'cmp-1' } })
    const token = await page.getByLabel('Token', { exact: true }).inputValue()
    expect(token).toMatch(/^eyJ/)
    for (let turn = 1; turn <= 52; turn++) {
      await page.getByLabel('campaignId', { exact: true }).fill(`cmp-h${turn}`)
      await page.keyboard.press('Control+Enter')
      await exchangeOf(page).getByText(`GET /campaigns/cmp-h${turn}`, { exact: true }).waitFor()
      await untilEnded(exchangeOf(page))
    }
    await history(page).getByText('50 of at most 50').waitFor()
    await fillIn(page, {
      route: 'create-optimization',
      person: 'alice',
      fields: { campaignId: 'cmp-123' },
      body: { goal: 'ctr', note: `Bearer ${token}` },
    })
    await send(page)
    await untilEnded(exchangeOf(page))
    const stored = await page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })')
    const kept = await page.evaluate<string>('localStorage.getItem("console.history")')
    expect(stored).toContain('console.history')
    expect(kept).not.toContain(token)
    expect(kept).not.toContain('eyJ')
    await page.reload()
    await page.getByRole('heading', { name: 'History' }).click()
    const entries = history(page).getByRole('listitem')
    await expect.poll(() => entries.count()).toBe(50)
    await history(page).getByLabel('Search the history').fill('404')
    await history(page).getByLabel('Search the history').fill('cmp-h52')
    await expect.poll(() => entries.count()).toBe(1)
    await entries.getByText('404 not found').waitFor()
    await entries.getByRole('button').click()
    await expect.poll(() => page.getByLabel('campaignId', { exact: true }).inputValue()).toBe('cmp-h52')
    await expect.poll(() => page.getByLabel('Route', { exact: true }).inputValue()).toBe('read-campaign')
    await history(page).getByRole('button', { name: 'Clear' }).click()
    await history(page).getByText('empty', { exact: true }).waitFor()
    expect(await page.evaluate('localStorage.getItem("console.history")')).toBeNull()
  })

  test('a question has the name of its input, and locks the request until it is answered', async () => {
    const page = await open()
    await fillIn(page, { route: 'create-optimization', person: 'alice', fields: { campaignId: 'cmp-123' } })
    const exchange = await send(page)
    const question = exchange.getByRole('form', { name: 'Answer the service: goal' })
    await question.getByRole('group', { name: 'What is the campaign to be optimized for? goal' }).waitFor()
    expect(await question.getByRole('radio').first().getAttribute('name')).toBe('goal')
    const request = page.getByRole('form', { name: 'Request' })
    await request.getByText('The service asks a question.').waitFor()
    for (const name of ['goal', 'campaignId', 'Route'])
      expect(await request.getByLabel(name, { exact: true }).isDisabled(), name).toBe(true)
    expect(await request.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true)
    // The key sends what is asked, never the request beside it.
    await question.getByRole('radio', { name: 'reach', exact: true }).check()
    await page.keyboard.press('Control+Enter')
    await untilEnded(exchange)
    await exchange.getByText('201 created').waitFor()
    expect(await exchange.getByRole('article', { name: /^Request/ }).count()).toBe(2)
    expect(await request.getByLabel('goal', { exact: true }).isEnabled()).toBe(true)
  })

  test('an approval that is given elsewhere has no buttons to decide, and one to go on', async () => {
    const page = await open()
    const fields = { campaignId: 'cmp-enterprise' }
    await fillIn(page, { route: 'create-optimization', person: 'alice', fields, body: { goal: 'cpl' } })
    const exchange = await send(page)
    const card = exchange.getByRole('article', { name: 'Approval' })
    await card.getByRole('button', { name: 'Approve as dave' }).waitFor()
    expect(await card.getByRole('button', { name: 'Go on' }).count()).toBe(0)
    expect(await card.getByText('Decided at').count()).toBe(0)
    const { portBase, gatewayUrl } = stack()
    const path = String(await card.locator('dd > .mono').textContent())
    const decided = await fetch(`${new URL(path, gatewayUrl).href}/approve`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await requestToken({ portBase, sub: 'dave' })}` },
    })
    expect(decided.status).toBe(200)
    const { decidedAt } = (await decided.json()) as { decidedAt: string }
    await card.getByText('approved, not used yet').waitFor()
    const shown = await page.evaluate(
      (iso) => new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
      decidedAt,
    )
    expect(await card.getByText('Decided at', { exact: true }).locator('+ dd').textContent()).toBe(shown)
    expect(await card.getByRole('button', { name: /as dave|Wait for/ }).count()).toBe(0)
    await card.getByRole('button', { name: 'Go on' }).click()
    await untilEnded(exchange)
    await exchange.getByText('201 created').waitFor()
  })

  test('who waits goes on by itself; what was rejected elsewhere has nothing left to press', async () => {
    const page = await open()
    const fields = { campaignId: 'cmp-enterprise' }
    const decide = async (verb: string, path: string) => {
      const { portBase, gatewayUrl } = stack()
      const headers = { authorization: `Bearer ${await requestToken({ portBase, sub: 'dave' })}` }
      const { status } = await fetch(`${new URL(path, gatewayUrl).href}/${verb}`, { method: 'POST', headers })
      expect(status).toBe(200)
    }
    await fillIn(page, {
      route: 'create-optimization',
      person: 'alice',
      fields,
      body: { goal: 'lead_quality' },
    })
    const exchange = await send(page)
    const card = exchange.getByRole('article', { name: 'Approval' })
    await card.getByRole('button', { name: 'Wait for another person' }).click()
    await decide('approve', String(await card.locator('dd > .mono').textContent()))
    await untilEnded(exchange)
    await exchange.getByText('201 created').waitFor()

    await fillBody(page, '{"goal":"conversion_rate"}')
    await send(page)
    await card.getByRole('button', { name: 'Approve as dave' }).waitFor()
    await decide('reject', String(await card.locator('dd > .mono').textContent()))
    await card.getByText('rejected', { exact: true }).waitFor()
    expect(await card.getByRole('button').allInnerTexts()).toEqual(['Leave it'])
  })

  test('of two approvals the first leaves a count and the button of the next person', async () => {
    const page = await open('live')
    // The operations of the stack need one approval: here the same approval says that it needs two, and has the first.
    const decisions: object[] = []
    await page.route('**/approvals/**', async (route) => {
      const request = route.request()
      if (request.method() === 'OPTIONS') return route.continue()
      const url = request.url().replace(/\/approve$/, '')
      if (request.method() === 'POST')
        decisions.push({ decidedBy: 'dave', verdict: 'approved', decidedAt: new Date(0).toISOString() })
      const { authorization = '', origin = '' } = await request.allHeaders()
      const response = await page.request.get(url, { headers: { authorization, origin } })
      await route.fulfill({ response, json: { ...(await response.json()), quorum: 2, decisions } })
    })
    await page.route('**/api/gateway', async (route) => {
      const response = await route.fetch()
      const info = await response.json()
      const erin = { sub: 'erin', tenant: 'acme', roles: ['campaign:approve'] }
      await route.fulfill({ response, json: { ...info, people: [...info.people, erin] } })
    })
    const fields = { campaignId: 'cmp-enterprise' }
    await fillIn(page, { route: 'create-optimization', person: 'alice', fields, body: { goal: 'reach' } })
    const exchange = await send(page)
    const card = exchange.getByRole('article', { name: 'Approval' })
    await card.getByText('0 of 2 approvals by different people with the role campaign:approve').waitFor()
    await card.getByRole('button', { name: 'Approve as dave' }).click()
    await card.getByText('1 of 2 approvals', { exact: true }).waitFor()
    expect(await card.getByRole('button', { name: /as dave/ }).count()).toBe(0)
    await card.getByRole('button', { name: 'Approve as erin' }).waitFor()
    expect(await card.getByRole('alert').count()).toBe(0)
  })

  test('background work is a bar from its 202 on, with its share, until it is done', async () => {
    const page = await open()
    await fillIn(page, {
      route: 'create-optimization',
      person: 'carol',
      fields: { campaignId: 'cmp-900' },
      body: { goal: 'ctr' },
    })
    await page.getByText('Options', { exact: true }).click()
    await page.getByLabel('Work in the background (202)').check()
    const exchange = await send(page)
    const bar = exchange.getByRole('progressbar', { name: 'Progress' })
    await bar.waitFor()
    await untilEnded(exchange)
    await expect.poll(() => bar.getAttribute('value')).toBe('1')
    await exchange.getByText('100 %').waitFor()
    await exchange.getByText('Completed', { exact: true }).waitFor()
    expect(JSON.parse(await copied(page, 'Copy result'))).toMatchObject({ campaignId: 'cmp-900' })
  })

  test('the key / goes to the search of each view', async () => {
    // An empty list has no search.
    await fetch(`${stack().gatewayUrl}/campaigns/nobody`)
    const page = await open('live')
    const searches = [
      ['Live', 'Text'],
      ['Timeline', 'Text'],
      ['Try', 'Search the history'],
      ['Routes', 'Search the routes'],
      ['Usage', 'Tenant'],
    ] as const
    for (const [view, label] of searches) {
      await openView(page, view)
      const search = page.locator('main').getByLabel(label, { exact: true }).first()
      await search.waitFor({ state: 'attached' })
      await page.keyboard.press('/')
      await search.and(page.locator(':focus')).waitFor({ timeout: 10_000 })
      expect(await search.inputValue()).toBe('')
    }
  })

  test('single keys search and list the keys, and stay letters in a field', async () => {
    const page = await open()
    await page.getByLabel('Route', { exact: true }).waitFor()
    await page.keyboard.press('/')
    await expect.poll(() => focused(page)).toBe('Search the history')
    await page.keyboard.type('a/?')
    expect(await page.getByLabel('Search the history').inputValue()).toBe('a/?')
    const list = page.getByRole('dialog', { name: 'Keys' })
    expect(await list.count()).toBe(0)
    const send = page.getByRole('button', { name: 'Copy as curl' })
    await send.focus()
    await page.keyboard.press('?')
    await list.getByText('Search in the current view').waitFor()
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'hidden' })
    expect(await focused(page)).toBe('Copy as curl')
    await page.getByRole('button', { name: 'Keys', exact: true }).click()
    await list.getByLabel('Single keys, such as / and ?').uncheck()
    await list.getByRole('button', { name: 'Close' }).click()
    expect(await focused(page)).toBe('Keys')
    await page.keyboard.press('?')
    expect(await list.count()).toBe(0)
    await page.reload()
    await page.getByLabel('Route', { exact: true }).waitFor()
    await page.keyboard.press('?')
    expect(await list.count()).toBe(0)
  })
}
