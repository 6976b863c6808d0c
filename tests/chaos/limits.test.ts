import { run } from '../../chaos/runs/limits.ts'
import { redisProgram as redis } from '../../chaos/runs/shared-limit.ts'
import { testWithProgram } from '../debian-package.ts'
import { expectReached, runShort } from './run-short.ts'

testWithProgram(
  redis,
  'three gateways pass exactly their limit while gateways are killed and Redis is emptied',
  async () => {
    expectReached(await runShort(run))
  },
)
