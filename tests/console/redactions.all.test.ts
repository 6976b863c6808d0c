import { consoleFolder } from '@agentic-rest/console'
import { sharedBrowser } from '@agentic-rest/testing/shared-browser'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect, onTestFinished } from 'vitest'
import { development, startAdmin } from '../../packages/gateway/test/admin/harness/start-admin.ts'
import { openConsole } from './console-browser.ts'

const rules = [
  { name: 'email', builtin: 'email' },
  { name: 'project', keywords: ['apollo'] },
]

testWith(
  'chromium',
  'Live and Timeline show which rules replaced how many values, and no value',
  async () => {
    const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
    const { url, adminUrl } = await startAdmin({
      admin: { development, consoleFolder },
      config: {
        plugins: { 'prompt-sanitize': { rules } },
        routes: [{ id: 'ask', method: 'POST', path: '/ask', target: upstream.url }],
      },
    })
    const ask = async (correlationId: string, prompt: string) => {
      const headers = {
        'Content-Type': 'application/json',
        'X-Tenant-ID': 'acme',
        'X-Correlation-ID': correlationId,
      }
      const body = JSON.stringify({ prompt })
      expect((await fetch(`${url}/ask`, { method: 'POST', headers, body })).status).toBe(200)
    }
    await ask('plain', 'What is new?')
    await ask('redacted', 'Tell ann@example.com and bob@example.com about Apollo.')
    expect(upstream.requests.map(({ body }) => String(body))).toEqual([
      '{"prompt":"What is new?"}',
      '{"prompt":"Tell [REDACTED:email] and [REDACTED:email] about [REDACTED:project]."}',
    ])
    const browser = await sharedBrowser()
    const opened = await openConsole(browser, `${adminUrl}/#/live`, { theme: 'light', width: 1280 })
    onTestFinished(async () => {
      const { complaints } = opened
      await opened.close()
      await browser.close()
      expect(complaints).toEqual([])
    })
    const { page } = opened
    const seen: string[] = []

    const rows = page.locator('.requests-table .opens')
    await expect.poll(() => rows.count()).toBe(2)
    const detail = page.getByRole('region', { name: 'Request', exact: true })
    // The newest request is the first row.
    await rows.first().getByRole('button').click()
    await detail.getByText('redacted email x2, project x1').waitFor()
    const facts = detail.locator('.detail-facts > div')
    expect(await facts.filter({ hasText: 'Redacted' }).allTextContents()).toEqual([
      'Redactedemail x2, project x1',
    ])
    seen.push(await page.content())
    await rows.last().getByRole('button').click()
    await detail.locator('.detail-path').waitFor()
    await expect.poll(() => facts.filter({ hasText: 'Redacted' }).count()).toBe(0)

    const waterfall = page.getByRole('region', { name: 'Waterfall' })
    const hopFacts = waterfall.locator('.hop-detail .fact-row > div')
    const redactedOf = async (correlationId: string) => {
      await page.goto(`${adminUrl}/#/timeline/${correlationId}`)
      await waterfall.getByRole('button', { name: /ask/ }).first().click()
      await hopFacts.filter({ hasText: 'Status' }).waitFor()
      seen.push(await page.content())
      return await hopFacts.filter({ hasText: 'Redacted' }).allTextContents()
    }
    expect(await redactedOf('redacted')).toEqual(['Redactedemail x2, project x1'])
    expect(await redactedOf('plain')).toEqual([])
    expect(seen.join('')).not.toMatch(/ann@|bob@|apollo/i)
  },
)
