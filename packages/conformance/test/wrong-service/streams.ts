import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Call, Reply } from '../wrong-service.ts'

/** The number of concurrent streams of a tenant. */
export const STREAMS = 3

const EVENTS = 4
const PAUSE_MS = 60

/** Counts a stream within the limit. */
export function takeSlot({ memory, tenant, does }: Call): boolean {
  const limit = does('limit-too-low') ? STREAMS - 1 : STREAMS
  const counted = does('limit-for-all-tenants') ? [...memory.streams.keys(), tenant] : [tenant]
  const open = [...new Set(counted)].reduce((sum, name) => sum + (memory.streams.get(name) ?? 0), 0)
  if (open >= limit && !does('no-limit')) return false
  memory.streams.set(tenant, (memory.streams.get(tenant) ?? 0) + 1)
  return true
}

interface Streaming extends Call {
  spoil(head: Reply): Reply
}

/** A limited stream stays open until its client closes it; the other one ends by itself. */
export async function sendStream(response: ServerResponse, call: Streaming): Promise<void> {
  const isLimited = call.request.url === '/limited'
  const isCommented = call.does('stream-buffered-after-comment')
  const isBuffered = (call.does('stream-buffered') || isCommented) && !isLimited
  const { status, headers } = call.spoil({
    status: 200,
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-agentic-profile': 'v0.3',
    },
    body: '',
  })
  if (isLimited) response.on('close', () => giveBack(call))
  response.writeHead(status, headers)
  const events: string[] = []
  if (isCommented) response.write(': hello\n\n')
  for (let count = 1; count <= EVENTS; count++) {
    if (!isBuffered) response.write(`data: ${count}\n\n`)
    events.push(`data: ${count}\n\n`)
    // Wait: the pauses between events are what the run looks for.
    await pause(PAUSE_MS)
  }
  if (!isLimited) response.end(isBuffered ? events.join('') : '')
}

function giveBack({ memory, tenant, does }: Call): void {
  if (!does('slots-kept')) memory.streams.set(tenant, (memory.streams.get(tenant) ?? 1) - 1)
}
