import type { Handler } from './send-outcome.ts'

/** Broken answers. */
export function brokenAnswers(): Record<string, Handler> {
  return {
    broken: (request, response) => {
      const kind = request.segments[1] ?? ''
      const answer = kinds[kind]
      if (answer === undefined) throw new Error(`there is no broken answer ${kind}`)
      answer(request, response, [])
    },
  }
}

const json = { 'content-type': 'application/json' }

const kinds: Readonly<Record<string, Handler>> = {
  html: (_request, response) =>
    void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
  'not-json': (_request, response) => void response.writeHead(200, json).end('{"half":'),
  'wrong-type': (_request, response) =>
    void response.writeHead(409, json).end('{"type":"conflict","code":"X","message":"Y"}'),
  'no-inputs': ({ trace }, response) =>
    void response.writeHead(400, { 'content-type': 'application/vnd.agentic.clarification+json' }).end(
      JSON.stringify({
        type: 'clarification_required',
        code: 'CLARIFICATION_REQUIRED',
        message: 'What?',
        requiredInputs: [],
        trace,
      }),
    ),
  redirect: (_request, response) => void response.writeHead(302, { location: '/echo/there' }).end(),
  'redirect-away': (_request, response) =>
    void response.writeHead(307, { location: 'http://127.0.0.1:9/steal' }).end(),
  // 64 KiB at a time, for ever: only a client that stops reading ends it.
  endless: (_request, response) => {
    response.writeHead(200, json)
    const chunk = Buffer.alloc(65_536, ' ')
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', more)
    more()
  },
  drip: (_request, response) => {
    response.writeHead(200, json)
    const timer = setInterval(() => response.write(' '), 10)
    response.on('close', () => clearInterval(timer))
  },
  silent: () => undefined,
  'half-silent': (_request, response) => void response.writeHead(200, json).write('{'),
  cut: (_request, response) => {
    response.writeHead(200, { ...json, 'content-length': '100' }).write('{', () => response.socket?.destroy())
  },
  reset: (_request, response) => void response.socket?.destroy(),
}
