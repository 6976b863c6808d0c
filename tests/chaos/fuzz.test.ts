import { expect, test } from 'vitest'
import { createJudge } from '../../chaos/fuzz/judge-answer.ts'
import { readAnswers } from '../../chaos/read-answers.ts'
import { run } from '../../chaos/runs/fuzz.ts'
import { expectReached, runShort } from './run-short.ts'

test('malformed requests leave the gateway intact', async () => {
  expectReached(await runShort(run))
})

const trace = '"trace":{"correlationId":"c","requestId":"r"}'
const typed = `{"type":"error","code":"ROUTE_NOT_FOUND","message":"m",${trace}}`
const own = (status: string, body: string) =>
  `HTTP/1.1 ${status}\r\nContent-Type: application/vnd.agentic.error+json\r\nX-Agentic-Profile: v0.3\r\n` +
  `X-Correlation-ID: c\r\nX-Request-ID: r\r\nContent-Length: ${body.length}\r\n\r\n${body}`

test.each([
  ['a typed answer', own('404 Not Found', typed), undefined],
  ['a body that is no JSON', own('404 Not Found', '{'), 'the body is no JSON'],
  [
    'a body with a field too many',
    own('404 Not Found', typed.replace('{', '{"a":1,')),
    'the body is not valid',
  ],
  [
    'another trace',
    own('404 Not Found', typed.replace('"c"', '"d"')),
    'the trace is not that of the headers',
  ],
  [
    'a media type of another status',
    own('422 Unprocessable', typed),
    'status 422 with application/vnd.agentic.error+json',
  ],
  [
    'two profile headers',
    own('404 Not Found', typed).replace('\r\n', '\r\nX-Agentic-Profile: v0.3\r\n'),
    'the profile header is not there once',
  ],
  ['a bare answer', 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', undefined],
  [
    'a bare answer that keeps the connection',
    'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n',
    'a bare answer that does not end the connection',
  ],
  [
    'an answer to another request',
    `HTTP/1.1 200 OK\r\nX-Agentic-Profile: v0.3\r\nX-Request-ID: r\r\nX-Upstream: s\r\nContent-Length: 0\r\n\r\n`,
    'the answer belongs to another request',
  ],
])('an answer is judged: %s', (_title, text, fault) => {
  const { answers, fault: unread } = readAnswers(text, false)
  expect(unread).toBeUndefined()
  expect(answers.map((answer) => createJudge()(answer).fault)).toEqual([fault])
})

test.each([
  ['no status line', 'hello\r\n\r\n'],
  ['a header with a line feed', 'HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na'],
  ['bytes behind an answer', `${own('404 Not Found', typed)}rest`],
  ['a chunk without its end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab0\r\n\r\n'],
])('bytes that are no HTTP are noticed: %s', (_title, text) => {
  expect(readAnswers(text, false).fault).toBeDefined()
})
