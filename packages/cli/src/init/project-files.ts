/** The program that serves the operations. */
export const mainSource = `import { createService, jsonLinesAudit } from '@agentic-rest/service'
import { serve } from '@agentic-rest/service/node'
import { operations } from './operations.ts'

// Only the gateway may reach this: it has checked the token and says in headers who asks, and this service believes it.
const service = createService({ operations, title: 'My agent', audit: jsonLinesAudit(process.stdout) })
const { port } = await serve({ fetch: service.fetch, port: process.env['SERVICE_PORT'] ?? 8081, closes: [service] })
console.error(\`The service listens at http://127.0.0.1:\${port}\`)
`

/** What a package.json needs to know. */
export interface PackageFacts {
  readonly name: string
  /** The version of the command, which its packages share. */
  readonly version: string
}

/** The version of zod that these packages are tested with. */
export const ZOD_VERSION = '4.6.7'

/** The package.json of a project. */
export function packageFile({ name, version }: PackageFacts): string {
  const manifest = {
    name,
    version: '0.1.0',
    private: true,
    description: 'An agent behind a gateway. Supports Agentic Profile v0.3.',
    type: 'module',
    engines: { node: '>=24' },
    scripts: {
      start: 'node src/main.ts',
      test: 'node --test',
      check: 'agentic check gateway.yaml --strict',
      conformance: 'agentic conformance http://127.0.0.1:8080 --scenario conformance.yaml',
    },
    dependencies: { '@agentic-rest/service': version, zod: ZOD_VERSION },
    devDependencies: { 'agentic-rest': version },
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** What git is not to keep. */
export const ignoreFile = 'node_modules\n.agentic\n'
