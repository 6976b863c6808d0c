import { closeSync, openSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { freePort } from '@agentic-rest/testing/free-port'
import { expect, it } from 'vitest'
import { parseLines, startAuditProcess } from './start-audit-process.ts'

const REQUESTS = 100_000
const QUEUE_RECORDS = 8_192

it('holds and drops within its bounds while the reader of stdout stalls, and loses count of nothing', async () => {
  const audit = await startAuditProcess({ requests: REQUESTS })
  const stalled = await audit.run()
  expect(stalled.atOnce).toBe(true)
  expect(REQUESTS - stalled.ok - stalled.error).toBeLessThanOrEqual(QUEUE_RECORDS)
  expect(stalled.error).toBeGreaterThan(REQUESTS / 2)
  expect(stalled.stdoutBufferBytes).toBeLessThanOrEqual(65_536)
  expect(stalled.heldMiB).toBeLessThan(24)
  expect(stalled.rssGrowthMiB).toBeLessThan(384)

  // The reader is back: the queued records arrive.
  const lines = audit.stdout === null ? '' : text(audit.stdout)
  const report = await audit.close()
  const { exitCode, log } = await audit.ended
  const records = parseLines(await lines)
  expect(exitCode).toBe(0)
  expect(report.ok + report.error).toBe(REQUESTS)
  expect(records).toHaveLength(report.ok)
  expect(new Set(records.map(({ request_id }) => request_id)).size).toBe(report.ok)
  expect(report.error).toBe(stalled.error)
  expect(log.every(({ level, exporter }) => level === 'warn' && exporter === 'stdout')).toBe(true)
  expect(log.reduce((sum, { records: lost }) => sum + Number(lost), 0)).toBe(report.error)
})

it('keeps 8 MiB of records, not 200 of bodies, while the reader of stdout stalls', async () => {
  const audit = await startAuditProcess({ requests: 2_000, bodyBytes: 100_000 })
  const stalled = await audit.run()
  expect(2_000 - stalled.ok - stalled.error).toBeLessThanOrEqual((8 * 1024 * 1024) / 100_000)
  expect(stalled.heldMiB).toBeLessThan(24)
  expect(stalled.rssGrowthMiB).toBeLessThan(384)
  const lines = audit.stdout === null ? '' : text(audit.stdout)
  const report = await audit.close()
  const { exitCode } = await audit.ended
  expect(exitCode).toBe(0)
  expect(report.ok + report.error).toBe(2_000)
  expect(parseLines(await lines)).toHaveLength(report.ok)
})

it('ends in two seconds when the reader never comes back', async () => {
  const audit = await startAuditProcess({ requests: 10_000 })
  await audit.run()
  const report = await audit.close()
  expect(report.closeSeconds).toBeGreaterThan(1.9)
  expect(report.closeOwnSeconds).toBeLessThan(3)
  expect(report.ok + report.error).toBe(10_000)
  // The last write is still in the pipe and keeps the process alive until it exits explicitly or the pipe is read.
  audit.stdout?.resume()
  expect((await audit.ended).exitCode).toBe(0)
})

it('goes on when the reader of stdout is gone (EPIPE), with a warning on stderr', async () => {
  const audit = await startAuditProcess({ requests: 5_000 })
  audit.stdout?.destroy()
  const { atOnce } = await audit.run()
  const report = await audit.close()
  const { exitCode, log } = await audit.ended
  expect(atOnce).toBe(true)
  expect(exitCode).toBe(0)
  expect([report.ok, report.error]).toEqual([0, 5_000])
  expect(log[0]).toEqual({
    time: expect.any(String),
    level: 'warn',
    msg: 'audit records were dropped',
    exporter: 'stdout',
    records: expect.any(Number),
    cause: expect.stringContaining('EPIPE'),
  })
  expect(log.reduce((sum, { records }) => sum + Number(records), 0)).toBe(5_000)
})

it('goes on when the disk behind stdout is full (ENOSPC)', async () => {
  const full = openSync('/dev/full', 'w')
  const audit = await startAuditProcess({ requests: 5_000 }, full)
  closeSync(full)
  const { atOnce } = await audit.run()
  const report = await audit.close()
  const { exitCode, log } = await audit.ended
  expect(atOnce).toBe(true)
  expect(exitCode).toBe(0)
  expect([report.ok, report.error]).toEqual([0, 5_000])
  expect(log[0]).toEqual(expect.objectContaining({ cause: expect.stringContaining('ENOSPC') }))
})

it('drops within its bounds while the collector is dead, and writes no line to stdout', async () => {
  const otlpEndpoint = `http://127.0.0.1:${await freePort()}`
  const audit = await startAuditProcess({ exporter: 'otlp', otlpEndpoint, requests: REQUESTS })
  const lines = audit.stdout === null ? '' : text(audit.stdout)
  const dead = await audit.run()
  expect(dead.atOnce).toBe(true)
  expect(REQUESTS - dead.ok - dead.error).toBeLessThanOrEqual(QUEUE_RECORDS)
  expect(dead.heldMiB).toBeLessThan(48)
  expect(dead.rssGrowthMiB).toBeLessThan(384)
  const report = await audit.close()
  const { exitCode, log } = await audit.ended
  expect([report.ok, report.error]).toEqual([0, REQUESTS])
  expect(report.closeOwnSeconds).toBeLessThan(3)
  expect(exitCode).toBe(0)
  expect(await lines).toBe('')
  expect(log.every(({ level, exporter }) => level === 'warn' && exporter === 'otlp')).toBe(true)
  expect(log.reduce((sum, { records }) => sum + Number(records), 0)).toBe(REQUESTS)
})
