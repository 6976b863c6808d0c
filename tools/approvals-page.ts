import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const folder = join(import.meta.dirname, '../packages/gateway/page')

/** The script and the style of the approval page as a module of the gateway: it serves them without a build. */
export async function approvalsPageSource(): Promise<string> {
  const bundle = await rolldown({
    input: join(folder, 'page.ts'),
    platform: 'browser',
    // Nothing in the tables of the profile has an effect, so that only the used ones become part of the page.
    treeshake: { manualPureFunctions: ['Object', 'Map', 'Set'] },
    resolve: { conditionNames: ['agentic-source'] },
  })
  const { output } = await bundle.generate({ format: 'iife', minify: true })
  await bundle.close()
  const style = readFileSync(join(folder, 'page.css'), 'utf8')
  return [
    '// Made by "npm run generate" from packages/gateway/page.',
    '',
    '/** The script of the approval page. */',
    `export const pageScript = ${literal(output[0].code)}`,
    '',
    '/** The style of the approval page. */',
    `export const pageStyle = ${literal(style)}`,
    '',
  ].join('\n')
}

/** A template literal, because the script and the style have quotes of both kinds. */
function literal(text: string): string {
  return `\`${text.trim().replaceAll(/[\\`]|\$\{/g, '\\$&')}\``
}
