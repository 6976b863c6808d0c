import { randomInt } from 'node:crypto'
import { findFreeBase } from '@agentic-rest/stack'

const FIRST_BASE = 10_000
const POOLS = 8
const BASES_PER_POOL = 1_800

/**
 * A port base where everything is free, below the ports of clients. Test files that run at the same time have a pool of
 * ports each: between the look and the start of the stack another file could take a port.
 */
export async function freePortBase(): Promise<number> {
  const pool = Number(process.env['VITEST_POOL_ID'] ?? 0) % POOLS
  const base = await findFreeBase(FIRST_BASE + pool * BASES_PER_POOL + randomInt(BASES_PER_POOL - 300))
  if (base === undefined) throw new Error('there are no free ports')
  return base
}
