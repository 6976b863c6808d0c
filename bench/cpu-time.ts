import { readdirSync, readFileSync } from 'node:fs'

/** CPU time that a process has used so far, in microseconds, over all of its threads. */
export function cpuMicroseconds(pid: number): number {
  const folder = `/proc/${pid}/task`
  return readdirSync(folder).reduce((sum, thread) => sum + threadMicroseconds(`${folder}/${thread}`), 0)
}

/** The scheduler counts in nanoseconds; `/proc/PID/stat` would only have ticks of 10 ms. */
function threadMicroseconds(folder: string): number {
  const [nanoseconds = '0'] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ')
  return Number(nanoseconds) / 1000
}

/** Memory that a process holds, in kilobytes. */
export function residentKilobytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes)
}
