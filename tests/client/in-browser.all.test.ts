import { join } from 'node:path'
import { sharedBrowser } from '@agentic-rest/testing/shared-browser'
import { describeWith } from '@agentic-rest/testing/test-with'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type PageFile,
  type ScenarioService,
  startScenarioService,
} from '../../packages/client/test/scenario-service.ts'
import { scenariosFor } from '../../packages/client/test/scenarios/scenario.ts'
import { scenarios } from '../../packages/client/test/scenarios.ts'
import { bundle } from './bundle.ts'
import { type ScenarioGateway, startScenarioGateway } from './scenario-gateway.ts'

describeWith('chromium', 'the client in a browser', playInBrowser)

function playInBrowser(): void {
  let browser: Browser
  let service: ScenarioService
  let gateway: ScenarioGateway
  let page: Page

  beforeAll(async () => {
    service = await startScenarioService(await pageFiles())
    gateway = await startScenarioGateway(service.url)
    browser = await sharedBrowser()
    page = await browser.newPage()
    await page.goto(`${service.url}/page.html`)
    await page.waitForFunction(() => 'playScenario' in globalThis)
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
    service?.close()
  })

  const play = (title: string, baseUrl: string, throughGateway: boolean) =>
    page.evaluate(([name, place]) => playScenario(name, place), [title, { baseUrl, throughGateway }] as const)

  describe('in a browser, at the origin of the page', () => {
    test.each(scenariosFor({ throughGateway: false }, scenarios))('$title', async ({ title }) => {
      expect(await play(title, service.url, false)).toBeUndefined()
    })
  })

  describe('in a browser, through a gateway at another origin', () => {
    test.each(scenariosFor({ throughGateway: true }, scenarios))('$title', async ({ title }) => {
      expect(await play(title, gateway.url, true)).toBeUndefined()
    })
  })

  test('a page of an origin that the gateway does not know gets no answer', async () => {
    const stranger = await startScenarioService(await pageFiles())
    const other = await browser.newPage()
    try {
      await other.goto(`${stranger.url}/page.html`)
      await other.waitForFunction(() => 'playScenario' in globalThis)
      const place = { baseUrl: gateway.url, throughGateway: true }
      const title = 'an answer of type success is that outcome'
      const fault = await other.evaluate(([name, there]) => playScenario(name, there), [
        title,
        place,
      ] as const)
      expect(fault).toMatch(`TransportError: the connection failed (${gateway.url}/`)
    } finally {
      await other.close()
      stranger.close()
    }
  })
}

async function pageFiles(): Promise<Map<string, PageFile>> {
  const script = await bundle(join(import.meta.dirname, 'scenario-page.ts'))
  return new Map([
    [
      '/page.html',
      { type: 'text/html', body: '<!doctype html><script type="module" src="/page.js"></script>' },
    ],
    ['/page.js', { type: 'text/javascript; charset=utf-8', body: script }],
  ])
}
