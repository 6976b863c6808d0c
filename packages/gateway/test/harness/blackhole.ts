import { openUnacceptingPort } from '@agentic-rest/testing/unaccepting-port'
import { onTestFinished } from 'vitest'

/** The port of an address that swallows every attempt to connect; it is free again after the test. */
export async function startBlackhole(): Promise<number> {
  const { port, close } = await openUnacceptingPort()
  onTestFinished(close)
  return port
}
