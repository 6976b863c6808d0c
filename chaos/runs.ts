import type { ChaosRun } from './chaos-run.ts'
import { run as cardinality } from './runs/cardinality.ts'
import { run as differential } from './runs/differential.ts'
import { run as faults } from './runs/faults.ts'
import { run as frames } from './runs/frames.ts'
import { run as fuzz } from './runs/fuzz.ts'
import { run as gatewayIdempotency } from './runs/gateway-idempotency.ts'
import { run as idempotency } from './runs/idempotency.ts'
import { run as keepAliveRace } from './runs/keep-alive-race.ts'
import { run as limits } from './runs/limits.ts'
import { run as mcpNeighbour } from './runs/mcp-neighbour.ts'
import { run as neighbour } from './runs/neighbour.ts'
import { run as operations } from './runs/operations.ts'
import { run as overload } from './runs/overload.ts'
import { run as proxyDrain } from './runs/proxy-drain.ts'
import { run as reload } from './runs/reload.ts'
import { run as sharedLimit } from './runs/shared-limit.ts'
import { run as sigterm } from './runs/sigterm.ts'
import { run as soak } from './runs/soak.ts'

/** All runs, in the order of `--help`. */
export const runs: readonly ChaosRun[] = [
  faults,
  fuzz,
  frames,
  differential,
  keepAliveRace,
  overload,
  neighbour,
  mcpNeighbour,
  sharedLimit,
  limits,
  sigterm,
  proxyDrain,
  reload,
  cardinality,
  idempotency,
  gatewayIdempotency,
  operations,
  soak,
]
