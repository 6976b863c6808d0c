import { freePort } from '../bench/free-port.ts'
import { openUnacceptingPort } from '../packages/gateway/test/harness/unaccepting-port.ts'
import { startFaultProxy } from './fault-proxy.ts'
import type { Fault } from './faults.ts'

/** A port on this machine at which every connection suffers one fault. */
export interface FaultyAddress {
  readonly port: number
  close(): Promise<void>
}

/** Opens one in front of a server; of a listener's fault the server never learns. */
export async function openFaultyAddress(fault: Fault, target: number): Promise<FaultyAddress> {
  if (fault.listener === 'refused') return { port: await freePort(), close: async () => undefined }
  if (fault.listener === 'unaccepted') return await openUnacceptingPort()
  return await startFaultProxy({ target, chooser: { onConnection: () => fault, onTurn: () => fault } })
}
