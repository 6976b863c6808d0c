import { consoleFolder } from '@agentic-rest/console'
import { clarificationRequired, defineOperation, success } from '@agentic-rest/service'
import { freePort } from '@agentic-rest/testing/free-port'
import { sharedBrowser } from '@agentic-rest/testing/shared-browser'
import { startService } from '@agentic-rest/testing/start-service'
import { testWith } from '@agentic-rest/testing/test-with'
import type { Locator, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { z } from 'zod'
import { development, startAdmin } from '../../packages/gateway/test/admin/harness/start-admin.ts'
import { looks, openConsole, overflowOf, seriousFindings, showIn } from './console-browser.ts'
import { fillBody, fillIn, openView, send, untilEnded } from './try-flow.ts'

/** A story whose events come when the test lets them, with an end of choice. */
function storyTeller() {
  let letGo = () => {}
  const state = { open: 0, goOn: () => letGo() }
  const tellStory = defineOperation({
    id: 'tell-story',
    method: 'POST',
    path: '/stories',
    summary: 'Tells a story.',
    input: z.object({
      topic: z.string().describe('What about?'),
      hero: z.string().optional(),
      end: z.enum(['ask', 'break', 'pause', 'long']).optional(),
    }),
    event: z.object({ text: z.string() }),
    async *run({ input: { topic, hero, end }, signal }) {
      state.open += 1
      try {
        yield { text: 'Once' }
        if (end === 'pause')
          await new Promise<void>((resolve) => {
            letGo = resolve
            signal.addEventListener('abort', () => resolve(), { once: true })
          })
        if (end === 'break') throw new Error('the ink is out')
        if (end === 'ask' && hero === undefined)
          return clarificationRequired({
            message: 'Who is it about?',
            requiredInputs: [
              { name: 'hero', location: 'body', type: 'string', required: true, question: 'Which hero?' },
            ],
          })
        if (end === 'long') yield* longPart()
        yield { text: ` ${topic}` }
        return success({ story: `Once ${hero ?? topic}` })
      } finally {
        state.open -= 1
      }
    },
  })
  return { tellStory, state }
}

function* longPart() {
  for (let count = 0; count < 5000; count++) yield { text: `word ${count}` }
  for (let count = 0; count < 3; count++) yield { text: `${count}`.repeat(900_000) }
}

async function startStories() {
  const { tellStory, state } = storyTeller()
  const { url: target, audit } = await startService({ operations: [tellStory] })
  const port = await freePort()
  const { adminUrl } = await startAdmin({
    admin: { development, consoleFolder },
    settings: { port },
    config: {
      gateway: { admin: { port }, cors: { origins: [`http://127.0.0.1:${port}`] } },
      routes: [{ id: 'tell-story', method: 'POST', path: '/stories', target, mode: 'sse' }],
    },
  })
  const browser = await sharedBrowser()
  onTestFinished(() => browser.close())
  const opened = await openConsole(browser, `${adminUrl}/#/try`, { theme: 'light', width: 1280 })
  return { ...opened, state, audit, adminUrl }
}

testWith('chromium', 'Try shows events as they come, and the outcome of the last frame', async () => {
  const { page, complaints, state, audit, adminUrl } = await startStories()
  await fillIn(page, { route: 'tell-story', person: 'alice', body: { end: 'pause' } })
  const exchange = await send(page)

  // A question before the stream is an ordinary answer.
  await exchange.getByText('400 clarification required').waitFor()
  await exchange.getByLabel(/What about\?/).fill('mice')
  await exchange.getByRole('button', { name: 'Answer' }).click()
  await exchange.getByRole('status').getByText('Streaming').waitFor()
  const told = exchange.getByRole('article', { name: 'Request 2' })
  await told.getByText('1 event', { exact: true }).waitFor()
  expect(await told.getByRole('log').textContent()).toBe('Once')
  await told.getByText('200 streamed').waitFor()
  state.goOn()
  await untilEnded(exchange)
  await told.getByText('2 events', { exact: true }).waitFor()
  expect(await told.getByRole('log').textContent()).toBe('Once mice')
  await told.getByText('200 success').waitFor()
  await told.getByRole('region', { name: 'Answer 2' }).getByText('"story": "Once mice"').waitFor()
  await inEveryLook(page)

  // The timeline has the stream as one hop, with what its service recorded.
  const records = await fetch(`${adminUrl}/api/records?part=stories`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(audit),
  })
  expect(records.status).toBe(204)
  await exchange.getByRole('link', { name: 'Open the timeline' }).click()
  const rows = page.getByRole('region', { name: 'Waterfall' }).getByRole('row')
  await expect.poll(() => rows.count()).toBe(5)
  const hop = rows.filter({ hasText: /tell-story · 2 events, the first after/ })
  await hop.getByText('200 success').waitFor()
  await hop.getByRole('button').click()
  await expect.poll(() => factOf(page, 'Stream')).toMatch(/^2 events, the first after [\d.]+ ms, complete$/)
  await page.locator('.summary').getByText('200 success').waitFor()
  await inEveryLook(page)
  expect(complaints).toEqual([])
})

testWith('chromium', 'Try answers the question of a last frame, and shows the error of one', async () => {
  const { page, complaints } = await startStories()
  await fillIn(page, { route: 'tell-story', person: 'alice', body: { topic: 'mice', end: 'ask' } })
  const exchange = await send(page)
  const asked = exchange.getByRole('article', { name: 'Request 1' })
  await asked.getByText('400 clarification required').waitFor()
  await asked.getByText('1 event', { exact: true }).waitFor()
  await inEveryLook(page)
  await exchange.getByLabel(/Which hero\?/).fill('Anna')
  await exchange.getByRole('button', { name: 'Answer' }).click()
  await untilEnded(exchange)
  await exchange.getByRole('region', { name: 'Answer 2' }).getByText('"story": "Once Anna"').waitFor()
  await asked.getByText('1 event', { exact: true }).waitFor()

  await fillBody(page, '{"topic":"mice","end":"break"}')
  await send(page)
  await untilEnded(exchange)
  await exchange.getByText('500 error').waitFor()
  await exchange.getByText('1 event', { exact: true }).waitFor()
  await exchange.getByRole('region', { name: 'Answer 1' }).getByText('"code": "INTERNAL_ERROR"').waitFor()
  expect(complaints).toEqual([])
})

testWith('chromium', 'Try ends a stream with the next request, and keeps the end of a long one', async () => {
  const { page, complaints, state } = await startStories()
  await fillIn(page, { route: 'tell-story', person: 'alice', body: { topic: 'mice', end: 'pause' } })
  const exchange = await send(page)
  await exchange.getByText('1 event', { exact: true }).waitFor()
  expect(state.open).toBe(1)
  await fillBody(page, '{"topic":"the end","end":"long"}')
  await send(page)
  await untilEnded(exchange)
  await exchange.getByText('5005 events, of which the end is shown').waitFor()
  await exchange.getByText('200 success').waitFor()
  const text = await textOf(exchange)
  expect(text).toHaveLength(50_000)
  expect(text).toMatch(/^2+ the end$/)
  await expect.poll(() => state.open).toBe(0)

  // Another view does not end it: leaving the page does.
  await fillBody(page, '{"topic":"mice","end":"pause"}')
  await send(page)
  await exchange.getByText('1 event', { exact: true }).waitFor()
  await openView(page, 'Live')
  expect(state.open).toBe(1)
  await page.goto('about:blank')
  await expect.poll(() => state.open).toBe(0)
  expect(complaints).toEqual([])
})

async function textOf(exchange: Locator): Promise<string> {
  return (await exchange.getByRole('log').textContent()) ?? ''
}

function factOf(page: Page, name: string): Promise<string | null> {
  return page.locator('.hop-detail').getByText(name, { exact: true }).locator('+ dd').textContent()
}

async function inEveryLook(page: Page): Promise<void> {
  for (const look of looks) {
    await showIn(page, look)
    expect(await overflowOf(page), JSON.stringify(look)).toBe(0)
    expect(await seriousFindings(page), JSON.stringify(look)).toEqual([])
  }
  await showIn(page, { theme: 'light', width: 1280 })
}
