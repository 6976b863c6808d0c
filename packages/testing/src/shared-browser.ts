import { type Browser, chromium } from 'playwright-core'
import { sharedPart } from './shared-parts.ts'

/** A connection to the one browser of all tests. Its pages and cookies are its own, and end with it. */
export async function sharedBrowser(): Promise<Browser> {
  return chromium.connect(await sharedPart('browser'))
}
