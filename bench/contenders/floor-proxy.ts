import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Dispatcher, Pool } from 'undici'

/**
 * The floor: a minimal proxy on `node:http` and undici. It copies headers and bytes; it has no tokens, tenants, limits,
 * deadlines, metrics or records.
 */
const { PORT = '', UPSTREAM = '' } = process.env
const pool = new Pool(UPSTREAM, { connections: 8192, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
const skipped = new Set(['connection', 'host', 'keep-alive', 'transfer-encoding', 'content-length', 'expect'])

createServer({ noDelay: true }, (request, response) => {
  const options = {
    method: (request.method ?? 'GET') as Dispatcher.HttpMethod,
    path: request.url ?? '/',
    headers: forwarded(request.rawHeaders),
    body: hasBody(request) ? request : null,
  }
  pool.dispatch(options, answerTo(response))
}).listen(Number(PORT), '127.0.0.1')

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

function forwarded(raw: readonly string[]): string[] {
  const kept: string[] = []
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? ''
    if (!skipped.has(name.toLowerCase())) kept.push(name, raw[index + 1] ?? '')
  }
  return kept
}

function answerTo(response: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      response.once('close', () => {
        if (!response.writableFinished) controller.abort(new Error('the client left'))
      })
      response.on('drain', () => controller.resume())
    },
    onResponseStart(controller, status) {
      response.writeHead(status, returned(controller.rawHeaders))
    },
    onResponseData(controller, chunk) {
      if (!response.write(chunk)) controller.pause()
    },
    onResponseEnd() {
      response.end()
    },
    onResponseError() {
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    },
  }
}

function returned(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  const list = Array.isArray(raw) ? raw : []
  const kept: string[] = []
  for (let index = 0; index < list.length; index += 2) {
    const name = String(list[index])
    const key = name.toLowerCase()
    if (key !== 'connection' && key !== 'keep-alive' && key !== 'transfer-encoding')
      kept.push(name, String(list[index + 1]))
  }
  return kept
}
