import { consoleFolder } from '@agentic-rest/console'
import { sharedBrowser } from '@agentic-rest/testing/shared-browser'
import { startUpstream, traceOf } from '@agentic-rest/testing/start-upstream'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect, onTestFinished } from 'vitest'
import { development, startAdmin } from '../../packages/gateway/test/admin/harness/start-admin.ts'
import { openConsole, seriousFindings } from './console-browser.ts'

testWith(
  'chromium',
  'work of a service that records nothing stays in the background, in the list and on its page',
  async () => {
    const upstream = await startUpstream((request, response) => {
      const trace = traceOf(request)
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ status: 'succeeded', trace }))
        return
      }
      response.writeHead(202, { 'content-type': 'application/vnd.agentic.operation+json' })
      const work = { type: 'operation_accepted', operationId: 'o-1', statusUrl: '/operations/o-1/status' }
      response.end(JSON.stringify({ ...work, trace }))
    })
    const { adminUrl, url } = await startAdmin({
      admin: { development, consoleFolder },
      config: {
        routes: [
          { id: 'start-work', method: 'POST', path: '/work', target: upstream.url },
          { id: 'read-work', method: 'GET', path: '/operations/{operationId}/status', target: upstream.url },
        ],
      },
    })
    const headers = { 'X-Tenant-ID': 'acme', 'X-Correlation-ID': 'work-1' }
    const ask = async (path: string, method: string) =>
      (await (await fetch(`${url}${path}`, { method, headers })).json()) as unknown
    await ask('/work', 'POST')
    for (let count = 0; count < 3; count++) await ask('/operations/o-1/status', 'GET')
    const browser = await sharedBrowser()
    onTestFinished(() => browser.close())
    for (const look of [
      { theme: 'light', width: 1280 },
      { theme: 'dark', width: 360 },
    ] as const) {
      const { page, complaints } = await openConsole(browser, `${adminUrl}/#/timeline`, look)
      const badge = page.getByRole('listitem').filter({ hasText: 'work-1' }).locator('.badge')
      await expect.poll(() => badge.textContent()).toBe('202 running in the background')
      await badge.click()
      await page.locator('.summary').getByText('202 running in the background').waitFor()
      await page.getByText('in the background, no end recorded').waitFor()
      await page.getByRole('button', { name: '3 polls' }).waitFor()
      expect(await seriousFindings(page)).toEqual([])
      expect(complaints).toEqual([])
    }
  },
)
