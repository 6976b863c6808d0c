import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { decisionIndex } from './decision-index.ts'

it('lists every record under its kind, in order, by its title', () => {
  const folder = mkdtempSync(join(tmpdir(), 'decisions-'))
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text)
  write('README.md', '# Decisions\n')
  write('0002-b.md', '# 2. Second\n')
  write('0001-a.md', '# 1. First\n')
  write('dep-x.md', '# x for y\n')
  write('signals.md', '# What signals do\n')
  expect(decisionIndex(folder)).toBe(
    [
      '## What the profile leaves open\n\n- [1. First](0001-a.md)\n- [2. Second](0002-b.md)',
      '## Choices of this repository\n\n- [What signals do](signals.md)',
      '## Libraries\n\n- [x for y](dep-x.md)',
    ].join('\n\n'),
  )
})

it('refuses a record without a title', () => {
  const folder = mkdtempSync(join(tmpdir(), 'decisions-'))
  writeFileSync(join(folder, '0001-a.md'), 'no heading')
  expect(() => decisionIndex(folder)).toThrow('has no title')
})
