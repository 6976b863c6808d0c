import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addedFiles, openFiles } from '../../chaos/open-files.ts'

test('newly opened files are listed by path, port and state', async () => {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const before = openFiles(process.pid)
  const path = join(mkdtempSync(join(tmpdir(), 'open-files-')), 'left')
  const fd = openSync(path, 'w')
  const client = connect(port, '127.0.0.1')
  const [accepted] = (await once(server, 'connection')) as [Socket]
  client.end()
  accepted.resume()
  await once(accepted, 'end')
  try {
    const added = addedFiles(before, openFiles(process.pid))
    expect(added).toContain(path)
    expect(added).toContain(`${port}-${client.localPort} close-wait, 0 unsent, 0 unread`)
  } finally {
    closeSync(fd)
    client.destroy()
    accepted.destroy()
    server.close()
  }
})

test('a third copy of an open file is one more', () => {
  expect(addedFiles(['pipe', 'pipe', 'socket'], ['pipe', 'socket', 'pipe', 'pipe'])).toEqual(['pipe'])
})
