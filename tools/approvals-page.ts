import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const folder = join(import.meta.dirname, '../packages/gateway/page')

/** The script and the style of the approval page as a module of the gateway: it serves them without a build. */
export async function approvalsPageSource(): Promise<string> {
  const script = await bundleForPage(join(folder, 'page.ts'), 'iife')
  const style = readFileSync(join(folder, 'page.css'), 'utf8')
  return [
    '// Made by "npm run generate" from packages/gateway/page.',
    '',
    '/** The script of the approval page. */',
    `export const pageScript = ${literal(script)}`,
    '',
    '/** The style of the approval page. */',
    `export const pageStyle = ${literal(style)}`,
    '',
  ].join('\n')
}

/** One script of a module and all that it imports. */
export async function bundleForPage(input: string, format: 'iife' | 'esm'): Promise<string> {
  const bundle = await rolldown({
    input,
    platform: 'browser',
    // These have no effect, so that of the profile's tables only the used ones become part of the page. `Object` itself would
    // also stand for `Object.defineProperty`, and the reader of JSON would lose members.
    treeshake: {
      manualPureFunctions: [
        'Map',
        'Set',
        'Object.entries',
        'Object.freeze',
        'Object.fromEntries',
        'Object.keys',
        'Object.values',
      ],
    },
    resolve: { conditionNames: ['agentic-source'] },
  })
  const { output } = await bundle.generate({ format, minify: true })
  await bundle.close()
  return output[0].code
}

/** A template literal, because the script and the style have quotes of both kinds. */
function literal(text: string): string {
  return `\`${text.trim().replaceAll(/[\\`]|\$\{/g, '\\$&')}\``
}
