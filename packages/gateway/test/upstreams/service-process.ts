import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { freePort } from '@agentic-rest/testing/free-port'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { onTestFinished } from 'vitest'

/** How a service answers requests below `/r`; its health is always good. */
export type ServiceMode = 'ok' | 'failing' | 'resetting' | 'slow'

/** A service in a process of its own, which can be killed, paused and started again on its port. */
export interface ServiceProcess {
  readonly url: string
  signal(name: NodeJS.Signals): void
  setMode(mode: ServiceMode): Promise<void>
  /** The health checks that it answered since its start. */
  checks(): Promise<number>
  /** Ends it with a signal and starts it again on the same port. */
  restart(signal: NodeJS.Signals): Promise<void>
  start(): Promise<void>
}

/** Starts one; it ends with the test. */
export async function startServiceProcess(): Promise<ServiceProcess> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess
  const start = async () => {
    child = spawn(process.execPath, [`${import.meta.dirname}/run-service.ts`, String(port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const started = child
    onTestFinished(() => void started.kill('SIGKILL'))
    if (started.stdout === null) throw new Error('the service has no output')
    await once(createInterface({ input: started.stdout }), 'line')
  }
  await start()
  return {
    url,
    start,
    signal: (name) => void child.kill(name),
    setMode: async (mode) => void (await sendRequest(`${url}/mode/${mode}`, { method: 'PUT' })),
    checks: async () => Number((await sendRequest(`${url}/checks`)).body),
    async restart(signal) {
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
      await start()
    },
  }
}
