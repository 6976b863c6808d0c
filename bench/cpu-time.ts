import { readdirSync, readFileSync } from 'node:fs'

/** CPU time of a process so far, over all its threads, in microseconds. */
export function cpuMicroseconds(pid: number): number {
  const folder = `/proc/${pid}/task`
  return readdirSync(folder).reduce((sum, thread) => sum + threadMicroseconds(`${folder}/${thread}`), 0)
}

/** From the scheduler, in nanoseconds; `/proc/PID/stat` has only ticks of 10 ms. */
function threadMicroseconds(folder: string): number {
  const [nanoseconds = '0'] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ')
  return Number(nanoseconds) / 1000
}

/** The resident memory of a process, in kilobytes. */
export function residentKilobytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes)
}
