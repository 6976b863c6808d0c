import { rolldown } from 'rolldown'

/** A module with its dependencies in one minified script, as for a web page. */
export async function bundle(entry: string): Promise<string> {
  const build = await rolldown({
    input: entry,
    platform: 'browser',
    resolve: { conditionNames: ['agentic-source', 'import', 'default'] },
    logLevel: 'silent',
  })
  try {
    const { output } = await build.generate({ format: 'es', minify: true })
    const [first, ...others] = output
    if (others.length > 0) throw new Error(`the bundle has ${output.length} parts`)
    return first.code
  } finally {
    await build.close()
  }
}
