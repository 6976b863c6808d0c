import { expect, test } from 'vitest'
import { apiPage } from './api-page.ts'
import { temporaryTree } from './temporary-tree.ts'

const guide = ['The guide', '../guide.md'] as const

function page(sources: Readonly<Record<string, string>>, exports: Readonly<Record<string, unknown>>): string {
  const files = Object.entries(sources).map(([path, text]) => [`packages/thing/src/${path}`, text])
  const root = temporaryTree({
    'packages/thing/package.json': JSON.stringify({ name: '@agentic-rest/thing', exports }),
    'packages/other/package.json': JSON.stringify({ name: '@agentic-rest/other' }),
    ...Object.fromEntries(files),
  })
  return apiPage(root, { folder: 'packages/thing', guide })
}

const main = { '.': { 'agentic-source': './src/index.ts', default: './dist/index.js' } }

test('a page lists the exports of each entry point, grouped, with comment and signature', () => {
  const text = page(
    {
      'index.ts': `export { start, type StartOptions } from './start.ts'
export type { Outcome } from '@agentic-rest/other'`,
      'start.ts': `/** How to start. A \`Map<string>\` is no element, a Map<string> would be one. */
export interface StartOptions {
  /** The port. */
  readonly port: number
}

/** Starts it. Needs a port. */
export function start(options: StartOptions): Promise<void> {
  return Promise.resolve()
}`,
      'extra.ts': `/** The limit. */
export const LIMIT = 5`,
    },
    {
      ...main,
      './extra': { 'agentic-source': './src/extra.ts' },
      './data/*': './data/*',
      './package.json': './package.json',
    },
  )
  expect(text).toBe(`# API of @agentic-rest/thing

This page is the reference of all exports of \`@agentic-rest/thing\`, generated from the source. [The guide](../guide.md) explains their use.

## @agentic-rest/thing

| Export | Kind | Purpose |
| --- | --- | --- |
| \`Outcome\` | passed on | From [\`@agentic-rest/other\`](other.md#outcome). |
| [\`start\`](#start) | function | Starts it. |
| [\`StartOptions\`](#startoptions) | type | How to start. |

### Functions

#### start

Starts it. Needs a port.

\`\`\`ts
function start(options: StartOptions): Promise<void>
\`\`\`

### Types

#### StartOptions

How to start. A \`Map<string>\` is no element, a Map&lt;string> would be one.

\`\`\`ts
interface StartOptions {
  /** The port. */
  readonly port: number
}
\`\`\`

## @agentic-rest/thing/extra

| Export | Kind | Purpose |
| --- | --- | --- |
| [\`LIMIT\`](#limit) | constant | The limit. |

### Constants

#### LIMIT

The limit.

\`\`\`ts
const LIMIT = 5
\`\`\`

## Files

- \`@agentic-rest/thing/data/FILE\`
`)
})

test('two names that differ in their case have two anchors', () => {
  const text = page(
    { 'index.ts': '/** A. */\nexport type Trace = string\n/** B. */\nexport const trace = 1' },
    main,
  )
  expect(text).toContain('[`trace`](#trace) | constant')
  expect(text).toContain('[`Trace`](#trace-1) | type')
})
