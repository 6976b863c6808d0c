import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { clauses, outOfReach, rules } from '@agentic-rest/conformance'
import { headers, openApiDocument, outcomes, outcomeTypes, PROFILE_VERSION } from '@agentic-rest/profile'
import { builtInPlugins } from '../packages/gateway/src/config/schema/plugin-sections.ts'
import {
  sanitizeFigures,
  sanitizeMisses,
} from '../packages/gateway/test/plugins/prompt-sanitize/corpus/figures.ts'
import { bodySchemas } from '../packages/profile/src/body-schemas.ts'
import { apiPage, type DocumentedPackage } from './api-page.ts'
import { approvalsPageSource } from './approvals-page.ts'
import { allowedLicences } from './checks/third-party.ts'
import { commandsTable, findingsTable, optionTables } from './command-tables.ts'
import { type ConfigurationKey, configurationKeys, type KeySchema, keysTable } from './configuration-keys.ts'
import { decisionIndex } from './decision-index.ts'
import { errorTables, malformedTable } from './error-tables.ts'
import { codeText, type Generator, jsonText, markdownTable, tableText } from './generated.ts'
import { grafanaDashboard } from './grafana-dashboard.ts'
import { productionPackages, readLock } from './locked-packages.ts'
import { bucketsTable, metricsTable, outcomeLabels } from './metric-tables.ts'
import { importTable, packagesTable } from './room-tables.ts'

const repository = join(import.meta.dirname, '..')
const configurationPage = 'docs/configuration.md'
const customPage = 'docs/plugins/custom.md'

/** All generators: one entry per file, folder or section. */
export const generators: readonly Generator[] = [
  { type: 'section', name: 'outcomes', pages: ['README.md', 'docs/profile.md'], content: outcomesTable },
  { type: 'folder', path: `packages/profile/schemas/${PROFILE_VERSION}`, content: currentSchemas },
  {
    type: 'file',
    path: `packages/profile/openapi/${PROFILE_VERSION}.json`,
    content: () => jsonText(openApiDocument()),
  },
  { type: 'file', path: 'packages/gateway/gateway.schema.json', content: configurationSchema },
  {
    type: 'file',
    path: 'packages/gateway/src/approvals-page/page-source.ts',
    content: approvalsPageSource,
  },
  { type: 'file', path: 'deploy/grafana/agentic.json', content: grafanaDashboard },
  section('configuration gateway', configurationPage, () => keysBelow('gateway')),
  ...builtInPlugins.flatMap((plugin) => [
    section(`configuration ${plugin}`, configurationPage, () => keysBelow(`plugins.${plugin}`)),
    section(`options ${plugin}`, `docs/plugins/${plugin}.md`, () => pluginOptions(plugin)),
  ]),
  section('configuration custom', configurationPage, () => keysBelow('plugins.custom')),
  section('options custom', customPage, () => pluginOptions('custom[]')),
  ...['office-hours.ts', 'cost-centre.ts', 'plugins-gateway.yaml'].map((file) =>
    section(`example ${file}`, customPage, () => exampleFile(`docs/examples/${file}`)),
  ),
  section('configuration upstreams', configurationPage, () => keysBelow('upstreams')),
  section('configuration mcp', configurationPage, () => keysBelow('mcp')),
  section('configuration routes', configurationPage, () => keysBelow('routes')),
  {
    type: 'section',
    name: 'minimal example',
    pages: ['README.md', configurationPage],
    content: () => exampleFile('docs/examples/minimal-gateway.yaml'),
  },
  section('metrics', 'docs/metrics.md', metricsTable),
  section('metric buckets', 'docs/metrics.md', bucketsTable),
  section('metric outcomes', 'docs/metrics.md', outcomeLabels),
  section('error codes', 'docs/errors.md', errorTables),
  section('malformed requests', 'docs/errors.md', malformedTable),
  section('sanitize-figures', 'docs/plugins/prompt-sanitize.md', sanitizeFigures),
  section('sanitize-misses', 'docs/plugins/prompt-sanitize.md', sanitizeMisses),
  section('decisions', 'docs/decisions/README.md', () => decisionIndex(join(repository, 'docs/decisions'))),
  {
    type: 'section',
    name: 'commands',
    pages: ['docs/cli.md', 'packages/cli/README.md'],
    content: commandsTable,
  },
  section('command options', 'docs/cli.md', optionTables),
  section('check findings', 'docs/cli.md', findingsTable),
  section('conformance rules', 'docs/conformance.md', conformanceRules),
  section('conformance limits', 'docs/conformance.md', conformanceLimits),
  section('allowed licences', 'docs/licences.md', allowedLicencesText),
  section('licences', 'docs/licences.md', () => licencesTable(repository)),
  { type: 'folder', path: 'docs/api', content: apiPages },
  section('packages', 'README.md', () => packagesTable(repository)),
  section('imports', 'CONTRIBUTING.md', () => importTable(repository)),
]

/** The packages with a page in docs/api, by its name. */
const documentedPackages: Readonly<Record<string, DocumentedPackage>> = {
  'audit-log': { folder: 'packages/audit-log', guide: ['The package', '../../packages/audit-log/README.md'] },
  client: { folder: 'packages/client', guide: ['The client', '../client.md'] },
  gateway: { folder: 'packages/gateway', guide: ['The path of a request', '../request-flow.md'] },
  mcp: { folder: 'packages/mcp', guide: ['The package', '../../packages/mcp/README.md'] },
  profile: { folder: 'packages/profile', guide: ['The profile', '../profile.md'] },
  service: { folder: 'packages/service', guide: ['The service SDK', '../service.md'] },
}

function apiPages(): Record<string, string> {
  const pages = Object.entries(documentedPackages)
  return Object.fromEntries(
    pages.map(([name, documented]) => [`${name}.md`, apiPage(repository, documented)]),
  )
}

function section(name: string, page: string, content: () => string | Promise<string>): Generator {
  return { type: 'section', name, pages: [page], content }
}

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

/** The table of a key and all keys below it. */
async function keysBelow(path: string): Promise<string> {
  return keysTable((await allKeys()).filter((key) => isBelow(key.path, path)))
}

/** The keys of a plugin, relative to its section, for its own page. */
async function pluginOptions(plugin: string): Promise<string> {
  const prefix = `plugins.${plugin}.`
  const keys = (await allKeys()).filter((key) => key.path.startsWith(prefix))
  return keysTable(keys.map((key) => ({ ...key, path: key.path.slice(prefix.length) })))
}

async function allKeys(): Promise<ConfigurationKey[]> {
  const { configJsonSchema } = await import('../packages/gateway/src/config/json-schema.ts')
  return configurationKeys(configJsonSchema() as KeySchema)
}

function isBelow(key: string, path: string): boolean {
  return key === path || key.startsWith(`${path}.`) || key.startsWith(`${path}[`)
}

// A test loads the same file.
function exampleFile(path: string): string {
  const text = readFileSync(join(repository, path), 'utf8')
  return `\`\`\`${extname(path).slice(1)}\n${text.trimEnd()}\n\`\`\``
}

/** Every rule of the conformance suite with its clause. */
function conformanceRules(): string {
  return markdownTable(
    ['Rule', 'Fact', 'Clause'],
    rules.map(({ id, title, clause }) => [codeText(id), tableText(title), tableText(clauses[clause].where)]),
  )
}

/** The clauses that the suite cannot check, and why. */
function conformanceLimits(): string {
  return markdownTable(
    ['Clause', 'Demand', 'Why not'],
    outOfReach.map(({ where, demands, why }) => [where, demands, why].map(tableText)),
  )
}

/** The third-party packages of production, with version and licence. */
function licencesTable(root: string): string {
  const rows = productionPackages(readLock(root)).map(({ name, version, licence }) => [
    codeText(name),
    version,
    licence ?? 'unknown',
  ])
  // The same version of a package may be installed in several places.
  const different = [...new Map(rows.map((row) => [row.join(' '), row])).values()]
  return markdownTable(['Package', 'Version', 'Licence'], different)
}

/** The allowed licences. */
function allowedLicencesText(): string {
  return allowedLicences.map(codeText).join(', ')
}
