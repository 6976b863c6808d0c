import { openUnacceptingPort } from '../packages/gateway/test/harness/unaccepting-port.ts'
import { unusedPort } from '../packages/gateway/test/harness/unused-port.ts'
import { startFaultProxy } from './fault-proxy.ts'
import type { Fault } from './faults.ts'

/** A port on this machine at which every connection suffers one fault. */
export interface FaultyAddress {
  readonly port: number
  /** How often it was suffered; undefined where nobody is there who could count. */
  times(): number | undefined
  /** Resets every connection that is open. */
  cut(): void
  close(): Promise<void>
}

/** Opens one in front of a server; of a listener's fault the server never learns. */
export async function openFaultyAddress(fault: Fault, target: number): Promise<FaultyAddress> {
  if (fault.listener === 'refused') return { ...NOBODY, port: await unusedPort() }
  if (fault.listener === 'unaccepted') return { ...NOBODY, ...(await openUnacceptingPort()) }
  const proxy = await startFaultProxy({ target, chooser: { onConnection: () => fault, onTurn: () => fault } })
  const { port, cut, close } = proxy
  return { port, times: () => proxy.done.get(fault.name) ?? 0, cut, close }
}

const NOBODY = { times: () => undefined, cut: () => undefined, close: async () => undefined }
