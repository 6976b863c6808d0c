import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Collects everything that nothing holds. */
export const collectGarbage: () => void = runInNewContext('gc')
