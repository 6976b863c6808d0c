import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** The views, as people find them. */
export async function openView(page: Page, name: 'Live' | 'Timeline' | 'Try' | 'Routes'): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  // The title follows once the view is drawn, also from one thing of a view to the view itself.
  await expect.poll(() => page.title()).toMatch(`${name} ·`)
}

/** What is filled in before sending. */
export interface Filled {
  readonly route: string
  readonly person: string
  readonly fields?: Readonly<Record<string, string>>
  readonly body?: object
}

/** Picks a route, gets a token and fills the form in. */
export async function fillIn(page: Page, { route, person, fields = {}, body }: Filled): Promise<void> {
  await openView(page, 'Try')
  await page.getByLabel('Route', { exact: true }).selectOption(route)
  await page.getByLabel('Person').selectOption(person)
  await page.getByRole('button', { name: 'Get token' }).click()
  await page.getByText(`Token of ${person}`).waitFor()
  for (const [name, value] of Object.entries(fields)) await page.getByLabel(name, { exact: true }).fill(value)
  if (body !== undefined) await page.getByLabel('Body', { exact: true }).fill(JSON.stringify(body))
}

/** Sends, and gives the place where the exchange is shown. */
export async function send(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  return page.getByRole('region', { name: 'Exchange' })
}

/** Waits until nothing more happens. */
export async function untilEnded(exchange: Locator): Promise<void> {
  await exchange.getByRole('status').getByText('Ended').waitFor()
}

/** What a button puts on the clipboard. */
export async function copied(page: Page, name: string): Promise<string> {
  const button = page.getByRole('button', { name, exact: true })
  await button.click()
  await button.locator('..').getByText('Copied').waitFor()
  return page.evaluate('navigator.clipboard.readText()')
}

/** The name of what has the focus: its label, else its text. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(
    'document.activeElement.getAttribute("aria-label") ?? (document.activeElement === document.body ? "nothing" : document.activeElement.textContent)',
  )
}
