import { chunkVectors } from './chunks.ts'
import { connectionVectors } from './connections.ts'
import { framingVectors } from './framing.ts'
import { headVectors } from './heads.ts'
import { identityVectors } from './identity.ts'
import { targetVectors } from './targets.ts'
import type { Vector } from './vector.ts'

/** All vectors. */
export const vectors: readonly Vector[] = [
  ...framingVectors,
  ...chunkVectors,
  ...headVectors,
  ...targetVectors,
  ...identityVectors,
  ...connectionVectors,
]
