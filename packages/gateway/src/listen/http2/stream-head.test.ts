import { describe, expect, test } from 'vitest'
import { wireHeadOf } from './stream-head.ts'

const limits = { maxHeadBytes: 1024, maxHeaders: 10 }
const get = [':method', 'GET', ':scheme', 'https', ':authority', 'gateway', ':path', '/a?b=1']
const read = (fields: readonly string[], isEnd = true) => wireHeadOf({ fields, isEnd }, limits)
const faultOf = (fields: readonly string[]) => {
  try {
    read(fields)
    return undefined
  } catch (error) {
    const { code, status } = error as { code: string; status: number }
    return { code, status }
  }
}

describe('the head of a stream', () => {
  test('becomes a head of HTTP/1.1: the authority is the host, and cookies are joined', () => {
    expect(read([...get, 'cookie', 'a=1', 'x-a', '1', 'cookie', 'b=2'])).toEqual({
      method: 'GET',
      url: '/a?b=1',
      httpVersion: '2',
      rawHeaders: ['Host', 'gateway', 'cookie', 'a=1; b=2', 'x-a', '1'],
      framing: 0,
      keepsAlive: true,
    })
  })

  test('keeps a host that is not the authority, so that it is refused', () => {
    expect(read([...get, 'host', 'GATEWAY']).rawHeaders).toEqual(['Host', 'gateway'])
    expect(read([...get, 'host', 'other']).rawHeaders).toEqual(['Host', 'gateway', 'host', 'other'])
    const onlyHost = [':method', 'GET', ':scheme', 'https', ':path', '/', 'host', 'g']
    expect(read(onlyHost).rawHeaders).toEqual(['host', 'g'])
  })

  test('names the length of its body', () => {
    expect(read([...get, 'content-length', '5'], false).framing).toBe(5)
    expect(read(get, false).framing).toBe('chunked')
    expect(read([':method', 'CONNECT', ':authority', 'a:1'], false)).toMatchObject({ url: 'a:1', framing: 0 })
  })

  test('is refused where HTTP/1.1 would be', () => {
    expect(faultOf(get.with(1, 'BREW'))).toEqual({ code: 'HPE_INVALID_METHOD', status: 400 })
    expect(faultOf(get.with(7, '/\x80'))).toEqual({ code: 'HPE_INVALID_URL', status: 400 })
    expect(faultOf(get.with(3, 'ftp'))).toEqual({ code: 'HPE_INVALID_URL', status: 400 })
    expect(faultOf([...get, 'x-a', 'b\x01'])).toEqual({ code: 'HPE_INVALID_HEADER_TOKEN', status: 400 })
    expect(faultOf([...get, ':protocol', 'websocket'])).toEqual({
      code: 'HPE_INVALID_HEADER_TOKEN',
      status: 400,
    })
  })

  test('counts its bytes and lines as one of HTTP/1.1 would', () => {
    const used = 'GET /a?b=1 HTTP/1.1\r\nHost: gateway\r\nx: \r\n'.length
    expect(faultOf([...get, 'x', 'v'.repeat(1024 - used)])).toBeUndefined()
    expect(faultOf([...get, 'x', 'v'.repeat(1025 - used)])).toEqual({
      code: 'HPE_HEADER_OVERFLOW',
      status: 431,
    })
    expect(faultOf(get.with(7, `/${'x'.repeat(1024)}`))).toEqual({ code: 'HPE_HEADER_OVERFLOW', status: 414 })
    const lines = Array.from({ length: 10 }, (_, index) => [`x-${index}`, '1']).flat()
    expect(faultOf([...get, ...lines.slice(2)])).toBeUndefined()
    expect(faultOf([...get, ...lines])).toEqual({ code: 'HPE_HEADER_OVERFLOW', status: 431 })
  })
})
