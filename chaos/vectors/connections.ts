import { chunks, get, PATH, passed, post, refused, request, smuggled, type Vector } from './vector.ts'

/** Several requests on one connection, and headers about the connection. */
export const connectionVectors: readonly Vector[] = [
  ...passed(['acme', 'globex'], {
    'pipeline: two GETs': get('', smuggled),
    'pipeline: a POST and a GET': post('Content-Length: 5\r\n', `hello${smuggled}`),
    'pipeline: a HEAD and a GET': request('HEAD', '', smuggled),
    'pipeline: chunks and a GET': post('Transfer-Encoding: chunked\r\n', `${chunks('hello')}${smuggled}`),
    'pipeline: a refused one and two good ones': `${get('X-Tenant-ID: x\r\n')}${get('')}${smuggled}`,
    'expect: continue that is not waited for': post(
      'Expect: 100-continue\r\nContent-Length: 5\r\n',
      `hello${smuggled}`,
    ),
    'expect: continue with chunks': post(
      'Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n',
      `${chunks('hello')}${smuggled}`,
    ),
    'expect: something else': post('Expect: x\r\nContent-Length: 5\r\n', `hello${smuggled}`),
    'expect: an obfuscated continue': post(
      'Expect: 100-continue, x\r\nContent-Length: 5\r\n',
      `hello${smuggled}`,
    ),
    'connection: keep-alive in all words': get(
      'Connection: keep-alive\r\nKeep-Alive: timeout=5, max=1\r\n',
      smuggled,
    ),
    'connection: TE and trailers': get('Connection: TE\r\nTE: trailers\r\n', smuggled),
    'connection: an unknown option': get('Connection: x, , y\r\n', smuggled),
  }),
  ...passed(['acme', 'acme', 'acme', 'globex'], {
    'pipeline: four': `${get('')}${post('Content-Length: 2\r\n', '{}')}${get('')}${smuggled}`,
  }),
  ...passed(['acme'], {
    'pipeline: a good one and a malformed one': `${get('')}GET ${PATH}\x01 HTTP/1.1\r\n\r\n`,
    'pipeline: a good one and half of one': `${get('')}GET ${PATH} HT`,
    'pipeline: behind the one that closes': get('Connection: close\r\n', smuggled),
    'pipeline: behind an unanswered expectation': get('Expect: 100-continue\r\n', smuggled),
    'pipeline: behind a GET, a CONNECT': `${get('')}CONNECT gateway:80 HTTP/1.1\r\nHost: gateway\r\n\r\n${smuggled}`,
    'upgrade: a web socket': get(
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n',
      smuggled,
    ),
    'upgrade: h2c': get(
      'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n',
      smuggled,
    ),
    'upgrade: h2c with a body': post(
      'Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 5\r\n',
      `hello${smuggled}`,
    ),
    'upgrade: without Connection': get('Upgrade: h2c\r\n', smuggled),
    'upgrade: of TLS': get('Connection: Upgrade\r\nUpgrade: TLS/1.0\r\n', smuggled),
    'body: larger than what is kept': post('Content-Length: 200000\r\n', 'x'.repeat(200_000)),
    'body: larger than what is kept, in chunks': post(
      'Transfer-Encoding: chunked\r\n',
      chunks(...Array(20).fill('x'.repeat(10_000))),
    ),
    'body: requests all the way': post(`Content-Length: ${smuggled.length * 50}\r\n`, smuggled.repeat(50)),
    'body: in gzip by its name': post('Content-Encoding: gzip\r\nContent-Length: 5\r\n', 'hello'),
  }),
  ...refused({
    'body: shorter than its length': post('Content-Length: 500\r\n', smuggled),
    'body: far shorter than its length': post('Content-Length: 200000\r\n', 'x'.repeat(100_000)),
    'body: none at all': post('Content-Length: 5\r\n'),
    'body: larger than allowed': post('Content-Length: 99999999\r\n', 'x'),
    'connection: half a head': `GET ${PATH} HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\n`,
    'connection: no HTTP': 'hello\r\n\r\n',
    'connection: a TLS handshake': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'connection: the PROXY protocol': `PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n${smuggled}`,
  }),
]
