import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { repositoryRoot } from '../packed-packages.ts'

/** A page of the console, and everything that went wrong or out of it. */
export interface ConsolePage {
  readonly page: Page
  /** What the page complained about. Answers that are no success are none of it: showing them is its work. */
  readonly complaints: readonly string[]
  /** The origins that were asked for something. */
  readonly origins: ReadonlySet<string>
  close(): Promise<void>
}

/** How the page is looked at. */
export interface Look {
  readonly theme: 'light' | 'dark'
  readonly width: number
}

// The browser calls nobody but the servers of this test.
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Starts Debian's chromium. */
export function startBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: flags })
}

/** Opens the console as somebody would who has not been there before. */
export async function openConsole(browser: Browser, url: string, look: Look): Promise<ConsolePage> {
  const context = await browser.newContext({
    viewport: { width: look.width, height: look.width < 600 ? 740 : 820 },
    colorScheme: look.theme,
    permissions: ['clipboard-read', 'clipboard-write'],
    locale: 'en-GB',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(40_000)
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

/** What axe finds wrong with the page as it is now, if it is serious. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // By the debugger, because the page's own policy lets no script of others in.
  await page.evaluate(axeSource)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Finding[] }> } }
    interface Finding {
      readonly id: string
      readonly impact: string
      readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
    }
    const { violations } = await axe.run()
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
  })
}

/** How much wider the page is than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

/** Whether pictures for the documents are to be made. */
export const makesPictures = process.env['AGENTIC_PICTURES'] === '1'

// Those that docs/console.md shows.
const pictures = new Set([
  'live-light-1280',
  'try-light-1280',
  'approval-light-1280',
  'timeline-light-1280',
  'swallowed-light-1280',
  'routes-light-1280',
  'live-dark-360',
  'try-dark-360',
  'timeline-dark-360',
])

/** Makes a picture for the documents, when the environment asks for pictures. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!makesPictures || !pictures.has(name)) return
  await page.screenshot({ path: join(repositoryRoot, `docs/images/console-${name}.png`) })
}
