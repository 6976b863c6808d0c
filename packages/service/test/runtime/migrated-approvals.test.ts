import { describe } from 'vitest'
import { describeMigration } from './behaviour/migration-behaviour.ts'

describe('a store with approvals of an older version, in memory', () =>
  describeMigration(() => ({ memory: true })))
