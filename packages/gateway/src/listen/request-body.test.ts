import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { IncomingBody } from '@agentic-rest/http1'
import { expect, test } from 'vitest'
import { Cancellation } from '../exchange.ts'
import { HeldBytes, TenantByteAccount } from '../limits/shares/held-bytes.ts'
import { requestBody } from './request-body.ts'

function openBody(length?: number) {
  const flow = {
    isRead: true,
    pause() {
      this.isRead = false
    },
    resume() {
      this.isRead = true
    },
  }
  const source = new IncomingBody(flow)
  const stream = {
    write: (text: string) => source.push(Buffer.from(text)),
    end(text: string) {
      source.push(Buffer.from(text))
      source.finish()
    },
  }
  const signal = new Cancellation()
  const body = requestBody(source, {
    length,
    maxBytes: 1000,
    signal,
    reply: { sendContinue: () => undefined },
  })
  return { stream, source, flow, body, signal }
}

test('two reads at once give the same bytes, each chunk once', async () => {
  const { stream, body } = openBody(10)
  const reads = Promise.all([body.read(100), body.read(100)])
  stream.write('hello')
  stream.end('world')
  expect((await reads).map(String)).toEqual(['helloworld', 'helloworld'])
  expect(String(body.content())).toBe('helloworld')
})

test('a read that is not awaited leaves its chunks to the forwarded stream', async () => {
  const { stream, body } = openBody()
  const read = body.read(100)
  stream.write('hello')
  await new Promise(setImmediate)
  const content = body.content() as Readable
  stream.end('world')
  expect(await text(content)).toBe('helloworld')
  expect(await read).toBeUndefined()
})

function openAccount(perTenant = 100) {
  const held = new HeldBytes(() => ({ total: 100, perTenant }))
  return { held, account: new TenantByteAccount(held, 'acme') }
}

test('bytes count as they arrive, and as long as their request lasts', async () => {
  const { stream, body } = openBody(10)
  const { held, account } = openAccount()
  body.holdIn(account)
  const read = body.read(100)
  expect(held.total).toBe(0)
  stream.write('hello')
  await new Promise(setImmediate)
  expect(held.total).toBe(5)
  stream.end('world')
  await read
  body.replace(Buffer.from('shorter'))
  expect(held.total).toBe(7)
  account.close()
  expect(held.total).toBe(0)
})

test('a declared length that does not fit is refused before anything is read', async () => {
  const { source, body } = openBody(101)
  const { held, account } = openAccount()
  body.holdIn(account)
  const limit = 'max_buffered_bytes_per_tenant'
  await expect(body.read(1000)).rejects.toMatchObject({ name: 'LimitReachedError', limit })
  expect([held.total, source.isRead]).toEqual([0, false])
})

test('a body without a length is refused when it no longer fits; forwarded as a stream it is complete', async () => {
  const { stream, body } = openBody()
  const { held, account } = openAccount(1000)
  body.holdIn(account)
  const read = body.read(1000)
  stream.write('x'.repeat(80))
  stream.write('y'.repeat(21))
  await expect(read).rejects.toMatchObject({ name: 'LimitReachedError', limit: 'max_buffered_bytes' })
  expect(held.total).toBe(80)
  const content = body.content() as Readable
  stream.end('z')
  expect(await text(content)).toBe(`${'x'.repeat(80)}${'y'.repeat(21)}z`)
})

test('a request that ends early keeps nothing of its body, and reads the rest away', async () => {
  const { stream, source, flow, body, signal } = openBody()
  const read = body.read(1000)
  stream.write('hello')
  await new Promise(setImmediate)
  signal.cancel('timeout')
  await expect(read).rejects.toThrow('the request ended before its body was complete')
  expect(source.isRead).toBe(false)
  expect([source.isDropping, flow.isRead]).toEqual([true, true])
  stream.end('world')
  expect(source.isComplete).toBe(true)
})

test('a read that outlives its account is dropped with the next chunk', async () => {
  const { stream, body } = openBody()
  const { held, account } = openAccount()
  body.holdIn(account)
  const read = body.read(1000)
  account.close()
  stream.write('hello')
  await expect(read).rejects.toThrow('the request ended before its body was complete')
  expect(held.total).toBe(0)
})

test('a body that has arrived is there without a wait, and is forwarded', async () => {
  const { stream, body } = openBody(10)
  expect(body.arrived(100)).toBeUndefined()
  stream.write('hello')
  expect(body.arrived(100)).toBeUndefined()
  stream.end('world')
  expect(body.arrived(9)).toBeUndefined()
  expect(String(body.arrived(10))).toBe('helloworld')
  expect(body.arrived(9)).toBeUndefined()
  expect(String(await body.read(10))).toBe('helloworld')
  expect(String(body.content())).toBe('helloworld')
})

test('a body that has arrived counts once, and is left to its reader where it may not be held', async () => {
  const { held, account } = openAccount()
  const { stream, body } = openBody(10)
  body.holdIn(account)
  stream.end('helloworld')
  expect(String(body.arrived(100))).toBe('helloworld')
  expect(String(await body.read(100))).toBe('helloworld')
  expect(held.total).toBe(10)
  const full = openAccount(5)
  const other = openBody(10)
  other.body.holdIn(full.account)
  other.stream.end('helloworld')
  expect(other.body.arrived(100)).toBeUndefined()
  await expect(other.body.read(100)).rejects.toMatchObject({ name: 'LimitReachedError' })
})

test('a body that somebody reads has not arrived for anyone else', async () => {
  const { stream, body } = openBody(10)
  const read = body.read(100)
  expect(body.arrived(100)).toBeUndefined()
  stream.end('helloworld')
  expect(String(await read)).toBe('helloworld')
  expect(String(body.arrived(100))).toBe('helloworld')
})
