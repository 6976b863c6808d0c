import { readdirSync, readFileSync } from 'node:fs'

/** More than a program that starts others meanwhile needs. */
const ROUNDS = 5

/** Kills every process that this one has started, and those that they have. */
export function endDescendants(): void {
  for (let round = 0; round < ROUNDS; round += 1) {
    const pids = descendantsOf(process.pid)
    if (pids.length === 0) return
    for (const pid of pids) kill(pid)
  }
}

/** The processes below another one that still run. */
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
  // The name of the program, in brackets, may have any character.
  const [state = 'Z', parent = '0'] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { state: text === '' ? 'Z' : state, parent: Number(parent) }
}

// It may have ended by now.
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
    // It has ended by itself.
  }
}
