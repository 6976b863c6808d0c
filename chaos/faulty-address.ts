import { freePort } from '@agentic-rest/testing/free-port'
import { openUnacceptingPort } from '@agentic-rest/testing/unaccepting-port'
import { startFaultProxy } from './fault-proxy.ts'
import type { Fault } from './faults.ts'

/** A local port with one fault for every connection. */
export interface FaultyAddress {
  readonly port: number
  /** The number of faulty connections; undefined for a port without a listener. */
  times(): number | undefined
  /** Resets all open connections. */
  cut(): void
  close(): Promise<void>
}

/** Opens a faulty port in front of a server. The server never sees faults of the listener. */
export async function openFaultyAddress(fault: Fault, target: number): Promise<FaultyAddress> {
  if (fault.listener === 'refused') return { ...NOBODY, port: await freePort() }
  if (fault.listener === 'unaccepted') return { ...NOBODY, ...(await openUnacceptingPort()) }
  const proxy = await startFaultProxy({ target, chooser: { onConnection: () => fault, onTurn: () => fault } })
  const { port, cut, close } = proxy
  return { port, times: () => proxy.done.get(fault.name) ?? 0, cut, close }
}

const NOBODY = { times: () => undefined, cut: () => undefined, close: async () => undefined }
