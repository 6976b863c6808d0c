import { expect, test } from 'vitest'
import { temporaryTree } from '../temporary-tree.ts'
import { noExportStar } from './no-export-star.ts'

test('a package that names its exports is clean', () => {
  const root = temporaryTree({
    'packages/a/src/index.ts': "export { one, type Two } from './one.ts'\n",
    'packages/a/dist/index.js': "export * from './one.js'\n",
  })
  expect(noExportStar(root)).toEqual([])
})

test('`export *` and `export * as` are faults with their line', () => {
  const root = temporaryTree({
    'packages/a/src/index.ts': "// é\nexport * from './one.ts'\n\nexport * as two from './two.ts'\n",
    'examples/b/src/index.ts': "export type * from './types.ts'\n",
  })
  const message = '`export *` hides what is public: name the exports'
  expect(noExportStar(root)).toEqual([
    { path: 'examples/b/src/index.ts', line: 1, message },
    { path: 'packages/a/src/index.ts', line: 2, message },
    { path: 'packages/a/src/index.ts', line: 4, message },
  ])
})
