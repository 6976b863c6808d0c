import { pathToFileURL } from 'node:url'
import { readVersion } from '../version.ts'
import { type CheckFinding, checkRules } from './findings.ts'

const ruleIds = Object.keys(checkRules)

/** Findings as a SARIF 2.1.0 log, for code scanning. */
export function sarifLog(findings: readonly CheckFinding[]): object {
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: driver() }, columnKind: 'utf16CodeUnits', results: findings.map(toResult) }],
  }
}

function driver(): object {
  return {
    name: 'agentic check',
    semanticVersion: readVersion(),
    rules: ruleIds.map((id) => ({ id, shortDescription: { text: checkRules[id] } })),
  }
}

function toResult({ id, level, file, line, column, path, message }: CheckFinding): object {
  const physicalLocation = {
    artifactLocation: { uri: uriOf(file) },
    region: { startLine: line, startColumn: column },
  }
  const logicalLocations = path === '' ? {} : { logicalLocations: [{ fullyQualifiedName: path }] }
  return {
    ruleId: id,
    ruleIndex: ruleIds.indexOf(id),
    level,
    message: { text: path === '' ? message : `${path}: ${message}` },
    locations: [{ physicalLocation, ...logicalLocations }],
  }
}

/** A relative path stays relative, so that the code host finds the file in its checkout (SARIF 3.4.3). */
function uriOf(file: string): string {
  if (file.startsWith('/')) return pathToFileURL(file).href
  return file.split(/[\\/]/).map(encodeURIComponent).join('/')
}

/** Findings as workflow commands; GitHub Actions shows them as annotations. */
export function githubAnnotations(findings: readonly CheckFinding[]): string {
  return findings.map((finding) => `${annotation(finding)}\n`).join('')
}

function annotation({ level, file, line, column, id, path, message }: CheckFinding): string {
  const properties = { file, line: String(line), col: String(column), title: `agentic check: ${id}` }
  const list = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(value)}`)
  return `::${level} ${list.join(',')}::${escapeText(path === '' ? message : `${path}: ${message}`)}`
}

// Escapes as in GitHub's toolkit: a line break would end the command, a comma the property.
function escapeText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeText(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
