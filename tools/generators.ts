import { headers, openApiComponents, outcomes, outcomeTypes, PROFILE_VERSION } from '@agentic-rest/profile'
import { bodySchemas } from '../packages/profile/src/body-schemas.ts'
import { type Generator, jsonText, markdownTable } from './generated.ts'

/** Everything that is generated from the code. One entry per file, folder or section. */
export const generators: readonly Generator[] = [
  { type: 'section', name: 'outcomes', pages: ['README.md', 'docs/profile.md'], content: outcomesTable },
  { type: 'folder', path: `packages/profile/schemas/${PROFILE_VERSION}`, content: currentSchemas },
  {
    type: 'file',
    path: `packages/profile/openapi/${PROFILE_VERSION}.json`,
    content: () => jsonText(openApiComponents()),
  },
  { type: 'file', path: 'packages/gateway/gateway.schema.json', content: configurationSchema },
]

function outcomesTable(): string {
  return markdownTable(
    ['Type', 'Status', headers.contentType, 'Body schema'],
    outcomeTypes.map((type) => {
      const { status, mediaType, schema } = outcomes[type]
      const body = schema === null ? 'the service’s own' : `\`${schema}.json\``
      return [`\`${type}\``, String(status), `\`${mediaType}\``, body]
    }),
  )
}

function currentSchemas(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(bodySchemas(PROFILE_VERSION)).map(([name, schema]) => [`${name}.json`, jsonText(schema)]),
  )
}

async function configurationSchema(): Promise<string> {
  const { configJsonSchema } = await import('../packages/gateway/src/config/json-schema.ts')
  return jsonText(configJsonSchema())
}
