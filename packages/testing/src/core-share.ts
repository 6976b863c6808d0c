import { readdirSync, readFileSync } from 'node:fs'

/**
 * The share of their work time in which a process and its descendants had a core: 1 on an idle machine, 0.25 where
 * they waited three seconds for each second of work. Time asleep does not count. Only Linux tells it; 1 elsewhere.
 */
export function coreShare(pid: number): number {
  const times = tasksOf(pid).map(readTimes)
  const ran = sum(times.map(([ran = 0]) => ran))
  const waited = sum(times.map(([, waited = 0]) => waited))
  return ran === 0 ? 1 : ran / (ran + waited)
}

/** The folders of all threads of a process and of its descendants. */
function tasksOf(pid: number): string[] {
  const own = listed(`/proc/${pid}/task`).map((task) => `/proc/${pid}/task/${task}`)
  const children = own.flatMap((task) => read(`${task}/children`).split(' ').filter(Boolean))
  return [...own, ...children.flatMap((child) => tasksOf(Number(child)))]
}

/** Nanoseconds on a core and nanoseconds in the queue for one. */
const readTimes = (task: string) => read(`${task}/schedstat`).split(' ').map(Number)

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

// The thread may have ended.
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
