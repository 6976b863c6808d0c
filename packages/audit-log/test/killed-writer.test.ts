import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { records, sealedLog } from './sealed-log.ts'

const KILLS = 5

/** Waits for some batches and kills the writer in the middle of another one. */
async function kill(child: ChildProcess, messages: number): Promise<void> {
  for (let n = 0; n < messages; n += 1) await once(child, 'message')
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

const startWriter = (log: ReturnType<typeof sealedLog>) => {
  const key = join(log.folder, 'key.pem')
  writeFileSync(key, log.pem)
  return fork(join(import.meta.dirname, 'endless-writer.ts'), [log.file, key, log.signer.name], {
    execArgv: ['--conditions=agentic-source', '--disable-warning=ExperimentalWarning'],
  })
}

it('a writer keeps others away while it lives, and no longer after kill -9', async () => {
  const log = sealedLog()
  const child = startWriter(log)
  await once(child, 'message')
  const other = log.open()
  expect(() => other.lock()).toThrow('another process writes this audit file')
  await expect(other.append({ records: records(1) })).rejects.toThrow(
    'another process writes this audit file',
  )
  await kill(child, 0)
  const next = log.open()
  await next.append({ records: records(1) })
  await next.close()
  expect((await log.verify()).faults).toEqual([])
})

it('goes on after each kill -9, through several files, and loses no line that was written', {
  timeout: 60_000,
}, async () => {
  const log = sealedLog()
  let size = 0
  for (let round = 1; round <= KILLS; round += 1) {
    await kill(startWriter(log), round)
    const killed = await log.verify()
    // At most the last line is torn, and the report says so.
    expect(killed.faults.filter(({ kind }) => kind !== 'cut')).toEqual([])
    expect(killed.faults.length).toBeLessThanOrEqual(1)
    expect(killed.size).toBeGreaterThan(size)
    size = killed.size
  }
  const last = log.open()
  await last.append({ records: records(1) })
  await last.close()
  const report = await log.verify()
  expect(report).toMatchObject({ faults: [], first: 0, sealedSize: report.size })
  expect(log.files().length).toBeGreaterThan(2)
})

it('writes no part of a batch on a full disk, and tells the loss in the next line', () => {
  const log = sealedLog()
  const key = join(log.folder, 'key.pem')
  writeFileSync(key, log.pem)
  const script = join(import.meta.dirname, 'full-disk-writer.ts')
  const args = ['--conditions=agentic-source', script, log.file, key, log.signer.name]
  // A limit on the size of files stands for the end of the disk: the last write is cut there.
  const { status } = spawnSync('sh', ['-c', 'ulimit -f 64; exec "$0" "$@"', process.execPath, ...args])
  expect(status).toBe(0)
  expect(JSON.parse(log.lines().at(-1) ?? '')).toMatchObject({ lost: 20 })
  return expect(log.verify()).resolves.toMatchObject({ faults: [] })
})
