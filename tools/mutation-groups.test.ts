import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mutationGroups } from './mutation-groups.ts'

const cwd = join(import.meta.dirname, '..')

it.each(mutationGroups)('$name names files that exist, and nothing else', ({ mutate, tests }) => {
  for (const pattern of [...mutate, ...tests])
    for (const single of alternatives(pattern))
      expect([single, globSync(single, { cwd })]).not.toEqual([single, []])
})

/** Expands braces: a missing name would go unnoticed among the others. */
function alternatives(pattern: string): string[] {
  const [, before = '', names, after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(pattern) ?? []
  return names === undefined ? [pattern] : names.split(',').map((name) => before + name + after)
}
