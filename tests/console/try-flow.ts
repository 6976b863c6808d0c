import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** Opens a view with its link. */
export async function openView(
  page: Page,
  name: 'Live' | 'Timeline' | 'Try' | 'Inbox' | 'Routes' | 'Usage',
): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  // The title changes once the view is drawn.
  await expect.poll(() => page.title()).toMatch(`${name} ·`)
}

/** The values of the form. */
export interface Filled {
  readonly route: string
  readonly person: string
  readonly fields?: Readonly<Record<string, string>>
  readonly body?: object
}

/** Selects a route, gets a token and fills in the form. */
export async function fillIn(page: Page, { route, person, fields = {}, body }: Filled): Promise<void> {
  await openView(page, 'Try')
  await page.getByLabel('Route', { exact: true }).selectOption(route)
  await page.getByLabel('Person').selectOption(person)
  await page.getByRole('button', { name: 'Get token' }).click()
  await page.getByText(`Token of ${person}`).waitFor()
  for (const [name, value] of Object.entries(fields)) await page.getByLabel(name, { exact: true }).fill(value)
  if (body !== undefined) await fillBody(page, JSON.stringify(body))
}

/** Writes the body as text, also where its fields are known. */
export async function fillBody(page: Page, text: string): Promise<void> {
  const asText = page.getByRole('radio', { name: 'As JSON' })
  const body = page.getByLabel('Body', { exact: true })
  await asText.or(body).first().waitFor()
  if ((await asText.count()) > 0) await asText.check()
  await body.fill(text)
}

/** Sends the request; returns the region of the exchange. */
export async function send(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  return page.getByRole('region', { name: 'Exchange' })
}

/** Waits for the end of the exchange. */
export async function untilEnded(exchange: Locator): Promise<void> {
  await exchange.getByRole('status').getByText('Ended').waitFor()
}

/** The text that a button copies to the clipboard. */
export async function copied(page: Page, name: string): Promise<string> {
  const button = page.getByRole('button', { name, exact: true })
  await button.click()
  await button.locator('..').getByText('Copied').waitFor()
  return page.evaluate('navigator.clipboard.readText()')
}

/** The name of the focused element: its label or its text. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(
    'document.activeElement.getAttribute("aria-label") ?? (document.activeElement === document.body ? "nothing" : document.activeElement.textContent)',
  )
}
