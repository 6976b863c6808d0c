import type { RequestListener } from 'node:http'
import { onTestFinished } from 'vitest'
import { type OpenServer, openServer } from './open-server.ts'

/** Serves a listener on a free port; it ends with the test. */
export async function startServer(listener: RequestListener): Promise<OpenServer> {
  const started = await openServer(listener)
  onTestFinished(started.close)
  return started
}
