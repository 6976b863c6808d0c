import { rolldown } from 'rolldown'

/** A module and all it needs in one minified script, as a page would load it. */
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
