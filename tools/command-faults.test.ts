import { expect, test } from 'vitest'
import { parseBiome, parseTsc } from './command-faults.ts'

test('lines of Biome become faults with a relative path', () => {
  const output = [
    '::error title=lint/style/noDefaultExport,file=/repo/a.ts,line=2,endLine=2,col=8,endColumn=15::Avoid default exports.',
    '::error title=format,file=/repo/b.ts,line=1,endLine=1,col=2,endColumn=2::File content differs',
    'Checked 2 files.',
  ].join('\n')
  expect(parseBiome('/repo', output)).toEqual([
    { path: 'a.ts', line: 2, message: 'Avoid default exports. (lint/style/noDefaultExport)' },
    { path: 'b.ts', line: 1, message: 'is not formatted, run npm run format' },
  ])
})

test('lines of tsc become faults with their details; one without a place belongs to the project', () => {
  const output = [
    "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    '  The reason.',
    "error TS18003: No inputs were found in config file 'x'.",
  ].join('\n')
  expect(parseTsc('tsconfig.json', output)).toEqual([
    {
      path: 'src/a.ts',
      line: 3,
      message: "Type 'string' is not assignable to type 'number'.\n  The reason. (TS2322)",
    },
    { path: 'tsconfig.json', line: 1, message: "No inputs were found in config file 'x'. (TS18003)" },
  ])
})
