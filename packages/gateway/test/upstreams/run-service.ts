import { createServer } from 'node:http'

// Started by service-process.ts. `PUT /mode/NAME` decides about every answer from then on.
let mode = 'ok'
let isEnding = false
/** Health checks since the start; `GET /checks` answers with them. */
let checks = 0

const SLOW_MS = 3000

const server = createServer((request, response) => {
  const [, set] = /^\/mode\/(\w+)$/.exec(request.url ?? '') ?? []
  if (set !== undefined) mode = set
  // A request that arrived before its connection was closed is answered; none follows on it.
  if (isEnding) response.setHeader('connection', 'close')
  request.resume().on('end', () => answer(request.url ?? '', response))
}).listen(Number(process.argv[2]), '127.0.0.1', () => process.stdout.write('listening\n'))

function answer(url: string, response: import('node:http').ServerResponse): void {
  if (url === '/healthz') checks += 1
  if (url === '/checks') return void response.end(String(checks))
  if (!url.startsWith('/r') || mode === 'ok') return void response.end('{}')
  if (mode === 'failing') return void response.writeHead(500).end()
  if (mode === 'resetting') return void response.socket?.resetAndDestroy()
  // Wait: the service is slow on purpose.
  setTimeout(() => response.end('{}'), SLOW_MS)
}

process.on('SIGTERM', () => {
  isEnding = true
  server.close(() => process.exit(0))
})
