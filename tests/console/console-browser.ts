import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { repositoryRoot } from '../../tools/packed-packages.ts'

/** A page of the console with its errors and its requests. */
export interface ConsolePage {
  readonly page: Page
  /** Errors of the page. Failed requests do not count: showing them is its purpose. */
  readonly complaints: readonly string[]
  /** The origins of all requests. */
  readonly origins: ReadonlySet<string>
  close(): Promise<void>
}

/** Theme and width of the page. */
export interface Look {
  readonly theme: 'light' | 'dark'
  readonly width: number
}

/** Both themes, wide and narrow. */
export const looks: readonly Look[] = [
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 1280 },
  { theme: 'light', width: 360 },
  { theme: 'dark', width: 360 },
]

/** Shows an open page in a look. */
export async function showIn(page: Page, { theme, width }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.setViewportSize({ width, height: heightFor(width) })
}

function heightFor(width: number): number {
  return width < 600 ? 740 : 820
}

/** Opens the console like a first visitor. */
export async function openConsole(browser: Browser, url: string, look: Look): Promise<ConsolePage> {
  const context = await browser.newContext({
    viewport: { width: look.width, height: heightFor(look.width) },
    colorScheme: look.theme,
    permissions: ['clipboard-read', 'clipboard-write'],
    locale: 'en-GB',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  const watched = watch(page, context)
  await page.goto(url)
  await page.getByText('Connected').waitFor({ state: 'attached' })
  return { page, ...watched, close: () => context.close() }
}

function watch(page: Page, context: BrowserContext): Pick<ConsolePage, 'complaints' | 'origins'> {
  const complaints: string[] = []
  const origins = new Set<string>()
  page.on('console', (message) => {
    const isAnswer = /^Failed to load resource: the server responded with a status of 4\d\d/.test(
      message.text(),
    )
    if (['error', 'warning'].includes(message.type()) && !isAnswer) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error.stack)))
  context.on('request', (request) => origins.add(new URL(request.url()).origin))
  return { complaints, origins }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** The findings of axe on the current page, with the rules that are off by default for WCAG 2.2 AA. */
async function findingsOf(page: Page): Promise<Finding[]> {
  // With the debugger, because the page's policy allows no foreign scripts; once for each document.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axeSource)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: Finding[] }> }
    }
    // Without the details of passed rules axe takes half the time.
    const options = { rules: { 'target-size': { enabled: true } }, resultTypes: ['violations'] }
    return (await axe.run(options)).violations
  })
}

const describeFinding = ({ id, nodes }: Finding) =>
  nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`)

/** All violations on the current page: WCAG 2.2 A and AA, and the best practices of axe. */
export async function violations(page: Page): Promise<string[]> {
  return (await findingsOf(page)).flatMap(describeFinding)
}

/** The serious violations on the current page. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const findings = await findingsOf(page)
  return findings
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(describeFinding)
}

/** The pixels by which the page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

/** Whether to make pictures for the documents. */
export const makesPictures = process.env['AGENTIC_PICTURES'] === '1'

// The pictures of docs/console.md.
const pictures = new Set([
  'live-light-1280',
  'try-light-1280',
  'approval-light-1280',
  'timeline-light-1280',
  'background-light-1280',
  'swallowed-light-1280',
  'routes-light-1280',
  'usage-light-1280',
  'inbox-light-1280',
  'live-dark-360',
  'try-dark-360',
  'timeline-dark-360',
])

/** Makes a picture for the documents if the environment asks for it. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!makesPictures || !pictures.has(name)) return
  // Paths of this machine mean nothing to a reader.
  await page.evaluate(`{
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const { data } = texts.currentNode
      const shown = data.replaceAll(${JSON.stringify(`${repositoryRoot}/`)}, '')
      if (shown !== data) texts.currentNode.data = shown
    }
  }`)
  await page.screenshot({ path: join(repositoryRoot, `docs/images/console-${name}.png`) })
}

/** A clock of the time that the page's main thread has worked: what others do on a busy machine does not count. */
export async function mainThreadTime(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
  }
}
