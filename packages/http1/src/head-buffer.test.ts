import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { HeadBuffer } from './head-buffer.ts'

const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`

describe('the check of a head', () => {
  it('accepts a head with its own line ends, with tabs and bytes of latin1, short or long', () => {
    const buffer = new HeadBuffer()
    buffer.check(head('HTTP/1.1 200 OK', 'A: b'), 3)
    buffer.check(head('HTTP/1.1 200 OK', 'A: \tb\xa0\xff'), 3)
    buffer.check(head('HTTP/1.1 200 OK', `A: ${'b'.repeat(40_000)}`), 3)
  })

  const values = ['\n', '\r', '\r\nB: c', '\0', '\x1f', '\x7f', 'Ċ', '\u2028', '\ud800', 'ü\n', 'üĊ']
  it.each(values.map((value) => [value]))('refuses the value %j wherever it is', (value) => {
    const buffer = new HeadBuffer()
    for (const before of ['', 'x', 'xx', 'xxx', 'x'.repeat(20_000)])
      for (const behind of ['', 'y', 'yy', 'yyy'])
        expect(() => buffer.check(head('HTTP/1.1 200 OK', `A: ${before}${value}${behind}`), 3)).toThrow(
          'a header holds a byte that may not be sent',
        )
  })

  it('agrees with a look at each character', () => {
    const buffer = new HeadBuffer()
    const character = fc.oneof(
      fc.constantFrom('\r', '\n', '\t', '\0', '\x1f', '\x20', '\x7e', '\x7f', '\x80', '\xff', 'Ā', 'Ċ'),
      fc.string({ minLength: 1, maxLength: 9 }),
    )
    fc.assert(
      fc.property(fc.array(character, { maxLength: 20 }), (parts) => {
        const text = parts.join('')
        const codes = Array.from(text, (_, at) => text.charCodeAt(at))
        const isSendable = codes.every(
          (code) => [0x09, 0x0a, 0x0d].includes(code) || (code >= 0x20 && code !== 0x7f && code <= 0xff),
        )
        const ends = codes.filter((code) => code === 0x0a || code === 0x0d).length
        const check = () => buffer.check(text, ends / 2)
        if (isSendable) expect(check).not.toThrow()
        else expect(check).toThrow(TypeError)
      }),
      { seed: Number(process.env['SEED']), numRuns: 2000 },
    )
  })
})

const open: { destroy(): void }[] = []
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy()
})

async function connectedPair(): Promise<[Socket, Socket]> {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [[accepted]] = (await Promise.all([once(server, 'connection'), once(client, 'connect')])) as [
    [Socket],
    unknown,
  ]
  server.close()
  open.push(client, accepted)
  return [client, accepted]
}

async function received(socket: Socket, length: number): Promise<string> {
  const parts: Buffer[] = []
  socket.on('data', (bytes: Buffer) => parts.push(bytes)).resume()
  while (parts.reduce((sum, part) => sum + part.length, 0) < length) await once(socket, 'data')
  return Buffer.concat(parts).toString('latin1')
}

describe('what is written', () => {
  it('arrives in order, whatever was checked in between', async () => {
    const [writer, reader] = await connectedPair()
    const buffer = new HeadBuffer()
    const texts = ['A', 'B\xe9', `C${'c'.repeat(20_000)}`, 'D'].map((line) => head(line))
    const sent: string[] = []
    for (const text of texts) {
      buffer.check(text, 2)
      buffer.check(head('another', 'head'), 3)
      buffer.write(writer, text, Buffer.from(`body of ${text[0]}`))
      sent.push(`${text}body of ${text[0]}`)
      buffer.write(writer, text)
      sent.push(text)
    }
    const whole = sent.join('')
    expect(await received(reader, whole.length)).toBe(whole)
  })

  it('is whole also where the other side reads late', async () => {
    const [writer, reader] = await connectedPair()
    const buffer = new HeadBuffer()
    const sent: string[] = []
    for (let index = 0; index < 2000; index += 1) {
      const text = head(`number ${index}`)
      const body = String(index % 10).repeat(10_000)
      buffer.check(text, 2)
      buffer.write(writer, text, Buffer.from(body))
      sent.push(text + body)
    }
    expect(writer.writableLength).toBeGreaterThan(0)
    const whole = sent.join('')
    expect((await received(reader, whole.length)) === whole).toBe(true)
  })
})
