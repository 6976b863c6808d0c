import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Runs a program of the tests in a process of its own. It gets the name of a file for its result as the last argument. */
export async function runProgram<Result>(program: string, ...args: string[]): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-program-'))
  const file = join(folder, 'result.json')
  try {
    await promisify(execFile)(process.execPath, ['--conditions=agentic-source', program, ...args, file])
    return JSON.parse(readFileSync(file, 'utf8')) as Result
  } finally {
    rmSync(folder, { recursive: true })
  }
}
