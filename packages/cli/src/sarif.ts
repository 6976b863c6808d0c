import { pathToFileURL } from 'node:url'
import type { CheckFinding } from './check-report.ts'
import { checkRules } from './check-rules.ts'
import { readVersion } from './version.ts'

const ruleIds = Object.keys(checkRules)

/** Findings as a SARIF 2.1.0 log, which code scanners of forges read. */
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

/** A relative reference stays one, so that a forge finds the file in its checkout (SARIF 3.4.3). */
function uriOf(file: string): string {
  if (file.startsWith('/')) return pathToFileURL(file).href
  return file.split(/[\\/]/).map(encodeURIComponent).join('/')
}
