import { freePortBase } from '@agentic-rest/testing/free-port-base'
import { sharedBrowser } from '@agentic-rest/testing/shared-browser'
import { newFolder, type RunningStack, startStack } from '@agentic-rest/testing/start-stack'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'

/** The running reference stack and a browser; set before the first test. */
export interface ConsoleStack {
  readonly browser: Browser
  /** The address of the console. */
  readonly url: string
  /** The address of the gateway. */
  readonly gatewayUrl: string
  readonly portBase: number
  /** Replaces the stack by a new one: its gateway remembers no request. */
  restart(): Promise<void>
}

/** Starts the stack and a browser for the tests of a file, and ends them afterwards. */
export function useConsoleStack(): () => ConsoleStack {
  const folder = newFolder()
  let stack: RunningStack | undefined
  let browser: Browser | undefined

  async function start(): Promise<RunningStack> {
    return startStack({ portBase: await freePortBase(), data: folder.path, options: ['--memory'] })
  }

  async function stop(): Promise<void> {
    stack?.npm.kill('SIGTERM')
    await stack?.ended
  }

  async function restart(): Promise<void> {
    await stop()
    stack = await start()
  }

  beforeAll(async () => {
    ;[stack, browser] = await Promise.all([start(), sharedBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await stop()
    folder.remove()
  })
  return () => {
    if (stack === undefined || browser === undefined) throw new Error('the stack does not run')
    const { portBase, url: gatewayUrl } = stack
    return { browser, url: `http://127.0.0.1:${portBase + 10}`, gatewayUrl, portBase, restart }
  }
}
