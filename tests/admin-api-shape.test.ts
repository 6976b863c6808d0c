import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { typeFaults } from '../tools/command-faults.ts'
import { scratchFolder, temporaryTree } from '../tools/temporary-tree.ts'

const root = join(import.meta.dirname, '..')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
const adminFolder = join(root, 'packages/gateway/src/admin')

/** A tree with changed bodies of the admin API: projects of their users, and the OpenAPI document made from them. */
function changedBodies(change: (source: string) => string): string {
  const bodies = textOf('packages/profile/src/admin/bodies.ts')
  const changed = change(bodies)
  expect(changed).not.toBe(bodies)
  const paths = { '@agentic-rest/profile/admin': ['./bodies.ts'] }
  const project = (base: string, files: object) =>
    JSON.stringify({
      extends: join(root, base),
      compilerOptions: { noEmit: true, skipLibCheck: true, paths },
      ...files,
    })
  return temporaryTree(
    {
      'bodies.ts': changed.replace('../typed-schema.ts', '../../packages/profile/src/typed-schema.ts'),
      'openapi.ts': textOf('packages/gateway/src/admin/openapi.ts')
        .replace('@agentic-rest/profile/admin', './bodies.ts')
        .replace('./answer.ts', '../../packages/gateway/src/admin/answer.ts'),
      'console.json': project('packages/console/tsconfig.page.json', {
        include: [join(root, 'packages/console/page')],
        exclude: [join(root, 'packages/console/page/**/*.test.ts')],
      }),
      'others.json': project('tsconfig.base.json', {
        files: [join(root, 'packages/cli/src/usage/show-usage.ts'), join(adminFolder, 'usage.ts')],
      }),
    },
    scratchFolder,
  )
}

async function faultyFiles(tree: string): Promise<string[]> {
  const faults = await Promise.all(
    ['console.json', 'others.json'].map((project) => typeFaults(root, join(tree, project))),
  )
  return [...new Set(faults.flat().map(({ path }) => path))].toSorted()
}

async function openApiOf(tree: string) {
  const { adminOpenApi } = await import(pathToFileURL(join(tree, 'openapi.ts')).href)
  return adminOpenApi.components.schemas
}

test('a renamed field of the admin API fails the types of gateway, console and command line', async () => {
  const tree = changedBodies((source) => source.replace('costMicro: whole', 'costMillionths: whole'))
  expect(await faultyFiles(tree)).toEqual([
    'packages/cli/src/usage/show-usage.ts',
    'packages/console/page/usage/usage-view.tsx',
    'packages/gateway/src/admin/usage.ts',
  ])
  const { UsageCounts } = await openApiOf(tree)
  expect(UsageCounts.required).toContain('costMillionths')
  expect(UsageCounts.properties).not.toHaveProperty('costMicro')
})

test('a new field has to be written by the gateway, and is in the OpenAPI document', async () => {
  const tree = changedBodies((source) =>
    source.replace('costMicro: whole', 'costMicro: whole, streams: whole'),
  )
  expect(await faultyFiles(tree)).toEqual(['packages/gateway/src/admin/usage.ts'])
  const { UsageCounts } = await openApiOf(tree)
  expect(UsageCounts.required).toContain('streams')
  expect(UsageCounts.properties.streams).toEqual({ type: 'integer', minimum: 0 })
})
