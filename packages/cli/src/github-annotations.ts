import type { CheckFinding } from './check-report.ts'

/** Findings as commands that GitHub Actions turns into annotations of the changed lines. */
export function githubAnnotations(findings: readonly CheckFinding[]): string {
  return findings.map((finding) => `${annotation(finding)}\n`).join('')
}

function annotation({ level, file, line, column, id, path, message }: CheckFinding): string {
  const properties = { file, line: String(line), col: String(column), title: `agentic check: ${id}` }
  const list = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(value)}`)
  return `::${level} ${list.join(',')}::${escapeText(path === '' ? message : `${path}: ${message}`)}`
}

// GitHub's own toolkit escapes these: a line break would end the command, a comma the property.
function escapeText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeText(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
