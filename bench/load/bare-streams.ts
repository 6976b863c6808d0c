import { createServer, type ServerResponse } from 'node:http'
import { LARGE, SLOT_MS, SLOTS, stamp } from './stream-beat.ts'

// The same streams as those of the service, by node:http alone: the least that a stream costs on this platform.
const readers = Array.from({ length: SLOTS }, () => new Set<ServerResponse>())
let slot = 0
let opened = 0
setInterval(() => {
  for (const response of readers[slot] ?? []) response.write(`data: ${stamp()}\n\n`)
  slot = (slot + 1) % SLOTS
}, SLOT_MS)

const server = createServer(({ url = '' }, response) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  response.flushHeaders()
  if (url.endsWith('busy')) {
    const own = readers[opened % SLOTS]
    opened += 1
    own?.add(response)
    response.once('close', () => own?.delete(response))
  }
  if (url.endsWith('flood')) flood(response)
})

function flood(response: ServerResponse): void {
  response.write(`data: ${LARGE}\n\n`, (fault) => {
    if (!fault) flood(response)
  })
}

server.listen(Number(process.env['PORT']), '127.0.0.1')
