import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { freeBase, type NpmStack, newFolder, npmStart } from '../../examples/stack/test/harness/run-npm.ts'
import { startBrowser } from './console-browser.ts'

/** The running reference stack and a browser; set before the first test. */
export interface ConsoleStack {
  readonly browser: Browser
  /** The address of the console. */
  readonly url: string
  /** The address of the gateway. */
  readonly gatewayUrl: string
}

/** Starts the stack and a browser for the tests of a file, and ends them afterwards. */
export function useConsoleStack(executablePath: string): () => ConsoleStack {
  const folder = newFolder()
  let stack: NpmStack | undefined
  let browser: Browser | undefined
  beforeAll(async () => {
    const portBase = await freeBase()
    ;[stack, browser] = await Promise.all([
      npmStart({ portBase, data: folder.path, options: ['--memory'] }),
      startBrowser(executablePath),
    ])
  })
  afterAll(async () => {
    await browser?.close()
    stack?.npm.kill('SIGTERM')
    await stack?.ended
    folder.remove()
  })
  return () => {
    if (stack === undefined || browser === undefined) throw new Error('the stack does not run')
    return { browser, url: `http://127.0.0.1:${stack.portBase + 10}`, gatewayUrl: stack.url }
  }
}
