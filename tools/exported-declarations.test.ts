import { expect, test } from 'vitest'
import { exportedDeclarations } from './exported-declarations.ts'
import { temporaryTree } from './temporary-tree.ts'

function declarationsOf(files: Readonly<Record<string, string>>) {
  return exportedDeclarations(temporaryTree(files), 'index.ts')
}

function signatureOf(source: string): string | undefined {
  const [first] = declarationsOf({ 'index.ts': source })
  return first?.type === 'declaration' ? first.signature : undefined
}

test.each([
  [
    '/** A. */\nexport async function a<T>(b: T): Promise<T> { return b }',
    'async function a<T>(b: T): Promise<T>',
  ],
  ['/** A. */\nexport const a = (b: number): string => String(b)', 'function a(b: number): string'],
  ['/** A. */\nexport const a = async <T>(b = () => 1) => ({ b })', 'async function a<T>(b = () => 1)'],
  ["/** A. */\nexport const a = ['x', 'y'] as const", "const a = ['x', 'y'] as const"],
  ['/** A. */\nexport const a: ReadonlySet<string> = new Set()', 'const a: ReadonlySet<string>'],
  ['/** A. */\nexport const a = Object.keys({})', 'const a'],
  ['/** A. */\nexport const a = Object.keys({}) as readonly B[]\ntype B = string', 'const a: readonly B[]'],
  ['/** A. */\nexport type A = string | { b: 1 };', 'type A = string | { b: 1 }'],
  [
    '/** A. */\nexport interface A<T> extends B {\n  c(): T\n}\ninterface B {}',
    'interface A<T> extends B {\n  c(): T\n}',
  ],
])('%j is shown without its body', (source, signature) => {
  expect(signatureOf(source)).toBe(signature)
})

test('a class is shown with its public members and their comments', () => {
  const source = `/** Failed. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly cause: string = 'none'
  #hidden = 1
  private readonly secret = 2

  /** Makes one. */
  constructor(message: string, readonly code: number) {
    super(message)
  }

  /** Whether it passes. */
  get passes(): boolean {
    return this.#hidden === this.secret
  }
}`
  expect(signatureOf(source)).toBe(`class Failure extends Error {
  override readonly name = 'Failure'
  readonly cause: string
  /** Makes one. */
  constructor(message: string, readonly code: number)
  /** Whether it passes. */
  get passes(): boolean
}`)
})

test('overloads are shown, and not the function that serves them', () => {
  const source = `/** Reads. */
export function read(a: string): string
export function read(a: number): number
export function read(a: unknown): unknown {
  return a
}`
  expect(signatureOf(source)).toBe('function read(a: string): string\nfunction read(a: number): number')
})

test('re-exports, renames and imports are followed to the declaration', () => {
  const declarations = declarationsOf({
    'index.ts':
      "export { type B as C, d } from './one.ts'\nimport { e } from './deep/two.ts'\nexport { e }\nexport { f as g }\n/** F. */\nconst f = 1",
    'one.ts': "export type { B } from './deep/two.ts'\nexport { D as d } from './deep/two.ts'",
    'deep/two.ts':
      '/** B. */\nexport type B = 1\n/** D. */\nexport const D = 2\n/**\n * E,\n * in two lines.\n */\nexport function e() {}',
  })
  expect(declarations).toEqual([
    { type: 'declaration', name: 'C', kind: 'type', comment: 'B.', signature: 'type C = 1' },
    { type: 'declaration', name: 'd', kind: 'constant', comment: 'D.', signature: 'const d = 2' },
    {
      type: 'declaration',
      name: 'e',
      kind: 'function',
      comment: 'E,\nin two lines.',
      signature: 'function e()',
    },
    { type: 'declaration', name: 'g', kind: 'constant', comment: 'F.', signature: 'const g = 1' },
  ])
})

test('an export of another package is passed on', () => {
  expect(declarationsOf({ 'index.ts': "export type { A } from '@scope/name/deep'" })).toEqual([
    { type: 'passed on', name: 'A', from: '@scope/name' },
  ])
})

test('every export without a doc comment is a fault with its place', () => {
  const files = {
    'index.ts': "export { a, b } from './one.ts'\n// No doc comment.\nexport const c = 1",
    'one.ts':
      '/** Of something else. */\nconst other = 1\nexport const a = other\n/** B. */\nexport const b = 2',
  }
  expect(() => declarationsOf(files)).toThrow(
    'one.ts:3: the export a has no doc comment\nindex.ts:3: the export c has no doc comment',
  )
})

test('a name that is declared nowhere is refused', () => {
  expect(() => declarationsOf({ 'index.ts': "export { a } from './one.ts'", 'one.ts': '' })).toThrow(
    'one.ts declares no a',
  )
})
