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

/** The CPU time of the whole machine so far, in ticks. */
export interface MachineTime {
  readonly used: number
  /** Time in which a process could have run, and the host ran something else. */
  readonly stolen: number
}

/** Reads the first line of `/proc/stat`. */
export function machineTime(line: string = readFileSync('/proc/stat', 'utf8')): MachineTime {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, stolen = 0] = (line.split('\n')[0] ?? '')
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return { used: user + nice + system + irq + softIrq, stolen }
}

/** How much of the time that processes asked for the host took away, in percent. */
export function stolenPercent(before: MachineTime, after: MachineTime): number {
  const stolen = after.stolen - before.stolen
  const asked = after.used - before.used + stolen
  return asked === 0 ? 0 : (stolen / asked) * 100
}
