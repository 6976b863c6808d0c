import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { startTcpUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'
import { type Report, runConformance, writeReport } from '../src/index.ts'
import { wrongScenario, wrongTokens } from './wrong-service/scenario.ts'

/** A service with the same bad answer to every request, and the number of its connections. */
async function startHostile(answer: (socket: Socket) => void) {
  let connections = 0
  const { url } = await startTcpUpstream((socket) => {
    connections += 1
    socket.once('data', () => answer(socket))
  })
  return { url, connections: () => connections }
}

/** Writes as fast as the other side reads, until it stops. */
function pour(socket: Socket, chunk: Buffer | string): void {
  const write = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', write)
  write()
}

const MOST_CONNECTIONS = 200
/** The time limit for a service that answers. */
const PATIENCE_MS = 20_000

interface Asked {
  readonly report: Report
  readonly connections: number
}

async function ask(answer: (socket: Socket) => void, timeoutMs: number): Promise<Asked> {
  const { url: baseUrl, connections } = await startHostile(answer)
  const { packages: _, ...scenario } = wrongScenario
  const report = await runConformance({ baseUrl, scenario, env: wrongTokens, timeoutMs })
  return { report, connections: connections() }
}

const head = (lines: string) => `HTTP/1.1 200 OK\r\n${lines}\r\n\r\n`
const json = 'Content-Type: application/json'
const huge = Buffer.alloc(104_857_600, '1')
const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))

const services: readonly { title: string; answer(socket: Socket): void }[] = [
  { title: 'never answers', answer: () => undefined },
  { title: 'hangs up', answer: (socket) => socket.destroy() },
  { title: 'answers with garbage', answer: (socket) => socket.end('\u0000\u001b[2Jhello\r\n\r\n') },
  {
    title: 'sends headers without end',
    answer(socket) {
      socket.write('HTTP/1.1 200 OK\r\n')
      pour(socket, `X-More: ${'m'.repeat(1000)}\r\n`)
    },
  },
  {
    title: 'drips headers',
    answer(socket) {
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('X-A: b\r\n'), 20)
      socket.on('close', () => clearInterval(timer))
    },
  },
  {
    title: 'sends a body without end',
    answer(socket) {
      socket.write(head(json))
      pour(socket, Buffer.alloc(65_536, ' '))
    },
  },
  {
    title: 'sends 100 MB and hangs up',
    answer(socket) {
      socket.write(head(`${json}\r\nContent-Length: 104857600`))
      socket.end(huge)
    },
  },
  {
    title: 'drips a body',
    answer(socket) {
      socket.write(head(json))
      const timer = setInterval(() => socket.write(' '), 20)
      socket.on('close', () => clearInterval(timer))
    },
  },
  {
    title: 'sends a bomb',
    answer: (socket) =>
      socket.end(
        Buffer.concat([
          Buffer.from(head(`${json}\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}`)),
          bomb,
        ]),
      ),
  },
  {
    title: 'redirects to itself',
    answer: (socket) =>
      socket.end('HTTP/1.1 307 Go\r\nLocation: /items/1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
  },
  {
    title: 'goes on with interim answers',
    answer(socket) {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 5)
      socket.on('close', () => clearInterval(timer))
    },
  },
  {
    title: 'switches protocols',
    answer: (socket) => socket.write('HTTP/1.1 101 Switching\r\nUpgrade: odd\r\nConnection: Upgrade\r\n\r\n'),
  },
  {
    title: 'answers twice',
    answer: (socket) =>
      socket.end(`${head(`${json}\r\nContent-Length: 2`)}{}${head(`${json}\r\nContent-Length: 2`)}[]`),
  },
  {
    title: 'sends JSON as deep as it can',
    answer: (socket) => socket.end(`${head(`${json}\r\nConnection: close`)}${'['.repeat(500_000)}`),
  },
]

test.each(services)('a service that $title costs little, and fails', async ({ answer }) => {
  const before = process.memoryUsage().rss
  // Each connection ends after 200 ms at the latest, so that their number is the time that a service can cost.
  const { report, connections } = await ask(answer, 200)
  expect(connections).toBeLessThanOrEqual(MOST_CONNECTIONS)
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024)
  expect(report.counts.fail).toBeGreaterThan(0)
  expect(report.rows.filter(({ rule, result }) => rule === 'row-conflict' && result === 'pass')).toEqual([])
})

test('bodies nested deeper than anything can walk are no bodies, wherever the nesting is', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const body = `{"type":"conflict","code":${deep},"message":"m","trace":${deep},"requiredInputs":${deep}}`
  const { report } = await ask(
    (socket) =>
      socket.end(
        `HTTP/1.1 409 Deep\r\nContent-Type: application/vnd.agentic.conflict+json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      ),
    PATIENCE_MS,
  )
  const told = report.rows.filter(({ outcome, result }) => outcome === 'conflict' && result === 'fail')
  expect(told.map(({ rule }) => rule)).toEqual(['json-bodies', 'profile-header'])
})

const nasty = '\u001b[31m\u009b2J\u202eevil\u2028'
const nastyMarkup = `</script><script>alert(1)</script>]]>"'|\`x\` <img src=x onerror=alert(1)>`

test.each(['text', 'json', 'junit', 'md', 'html'] as const)(
  'what a service sends is harmless in the report as %s, and tokens are not in it',
  async (format) => {
    const body = JSON.stringify({
      type: nasty,
      [nastyMarkup]: 1,
      trace: { correlationId: `${nasty} token-of-alice`, requestId: nastyMarkup },
    })
    const { report } = await ask(
      (socket) =>
        socket.end(
          `HTTP/1.1 409 Odd\r\nContent-Type: application/vnd.agentic.conflict+json\r\nX-Agentic-Profile: <b>token-of-alice</b>\r\nX-Request-ID: <i>'"\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
        ),
      PATIENCE_MS,
    )
    const text = writeReport(report, format)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2028\u2029]/)
    expect(text).not.toContain('token-of-alice')
    expect(text).toContain('$TOKEN')
    if (format === 'html' || format === 'junit') {
      expect(text).not.toMatch(/<(script|img|b|i)[ >]/)
      expect(text).not.toContain(']]>')
    }
    if (format === 'md') expect(text).not.toMatch(/(?<!\\)<(script|img|b|i)/)
  },
)
