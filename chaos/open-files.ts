import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** The open files of a process with a description, which identifies a leak. */
export function openFiles(pid: number): string[] {
  const sockets = tcpSockets(pid)
  return readdirSync(`/proc/${pid}/fd`).map((fd) => {
    const target = targetOf(`/proc/${pid}/fd/${fd}`)
    const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1]
    return inode === undefined ? target : (sockets.get(inode) ?? 'socket')
  })
}

/** The additional entries of the second list, with repetitions. */
export function addedFiles(before: readonly string[], after: readonly string[]): string[] {
  const left = [...before]
  return after.filter((file) => {
    const index = left.indexOf(file)
    if (index !== -1) left.splice(index, 1)
    return index === -1
  })
}

/** The file may be closed meanwhile. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return 'closed'
  }
}

// The numbers of the kernel.
const STATES = [
  '',
  'established',
  'syn-sent',
  'syn-received',
  'fin-wait-1',
  'fin-wait-2',
  'time-wait',
  'closed',
  'close-wait',
  'last-ack',
  'listening',
  'closing',
]

/** TCP sockets of a process's network by inode: ports, state, unsent and unread bytes. */
function tcpSockets(pid: number): Map<string, string> {
  const rows = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8').trim().split('\n').slice(1),
  )
  return new Map(rows.map((row) => describeRow(row.trim().split(/\s+/))))
}

function describeRow(fields: readonly string[]): [inode: string, description: string] {
  const [, local = '', remote = '', state = '', queues = ''] = fields
  const port = (address: string) => Number.parseInt(address.split(':')[1] ?? '', 16)
  const [unsent = 0, unread = 0] = queues.split(':').map((count) => Number.parseInt(count, 16))
  const name = STATES[Number.parseInt(state, 16)] ?? state
  return [fields[9] ?? '', `${port(local)}-${port(remote)} ${name}, ${unsent} unsent, ${unread} unread`]
}
