import { once } from 'node:events'
import { connect } from 'node:net'
import { eventually } from '@agentic-rest/testing/eventually'

/**
 * Resolves when a port accepts no connection any more. A gateway that drains takes up the connections that wait for it
 * in the turns after the signal.
 */
export async function untilRefused(port: number): Promise<void> {
  const isAccepted = async () => {
    const socket = connect(port, '127.0.0.1')
    const accepted = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    return accepted
  }
  await eventually(isAccepted, (accepted) => !accepted)
}
