import { readdirSync, readFileSync } from 'node:fs'

/** Enough rounds even for a program that starts others meanwhile. */
const ROUNDS = 5

/** Kills all descendants of this process. */
export function endDescendants(): void {
  for (let round = 0; round < ROUNDS; round += 1) {
    const pids = descendantsOf(process.pid)
    if (pids.length === 0) return
    for (const pid of pids) kill(pid)
  }
}

/** The running descendants of a process. */
export function descendantsOf(pid: number): number[] {
  const parents = runningProcesses()
  const below = (parent: number): number[] =>
    parents.filter((each) => each.parent === parent).flatMap((each) => [each.pid, ...below(each.pid)])
  return below(pid)
}

function runningProcesses(): { readonly pid: number; readonly parent: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), ...stateOf(name) }))
    .filter(({ state }) => state !== 'Z')
}

function stateOf(pid: string): { readonly state: string; readonly parent: number } {
  const text = readStat(pid)
  // The program name in brackets may contain any character.
  const [state = 'Z', parent = '0'] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { state: text === '' ? 'Z' : state, parent: Number(parent) }
}

// The process may have ended.
function readStat(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return ''
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended already.
  }
}
