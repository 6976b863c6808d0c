import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/** A DNS server that answers every question for A records with the given addresses. */
export interface DnsServer {
  readonly address: string
  /** The addresses from now on; none makes every look-up fail. */
  addresses: readonly string[]
  questions: number
}

const A = 1
const SERVFAIL = 2

/** Starts one on a free port. */
export async function startDnsServer(addresses: readonly string[]): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const server = { address: '', addresses, questions: 0 }
  socket.on('message', (query, { port, address }) => {
    server.questions += 1
    socket.send(answerTo(query, server.addresses), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  server.address = `127.0.0.1:${socket.address().port}`
  return server
}

/** RFC 1035, section 4: the id and the question of the query, and one record for each address. */
function answerTo(query: Buffer, addresses: readonly string[]): Buffer {
  const nameEnd = query.indexOf(0, 12)
  const question = query.subarray(12, nameEnd + 5)
  const isKnown = query.readUInt16BE(nameEnd + 1) === A
  const records = (isKnown ? addresses : []).map((address) =>
    // A pointer to the name of the question, type A, class IN, no time to live, four bytes.
    Buffer.from([0xc0, 0x0c, 0, A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  )
  const head = Buffer.alloc(12)
  query.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x8180 | (addresses.length === 0 ? SERVFAIL : 0), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(records.length, 6)
  return Buffer.concat([head, question, ...records])
}
