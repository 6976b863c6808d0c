import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { repositoryRoot } from '../../tools/packed-packages.ts'

interface Rule {
  readonly alert?: string
  readonly expr: string
  readonly labels?: { readonly severity?: string }
  readonly annotations?: { readonly summary?: string; readonly runbook?: string }
}

interface RuleTest {
  readonly alert_rule_test?: readonly { readonly alertname: string; readonly exp_alerts: readonly object[] }[]
}

const promtool = 'promtool'
const folder = join(repositoryRoot, 'deploy/prometheus')
const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8')
const rules: readonly Rule[] = parse(read('deploy/prometheus/rules.yaml')).groups.flatMap(
  (group: { readonly rules: readonly Rule[] }) => group.rules,
)
const alerts = rules.flatMap((rule) => (rule.alert === undefined ? [] : [{ ...rule, alert: rule.alert }]))
const names = alerts.map(({ alert }) => alert)

function promtoolSays(path: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(path, args, { cwd: folder, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

testWith(promtool, 'the rules are valid, and they pass their tests', (path) => {
  expect(promtoolSays(path, ['check', 'rules', '--lint-fatal', 'rules.yaml'])).toMatchObject({ status: 0 })
  const { status, output } = promtoolSays(path, ['test', 'rules', 'rules.test.yaml'])
  expect(output).toContain('SUCCESS')
  expect(status).toBe(0)
})

testWith(promtool, 'the configuration of Prometheus is valid', (path) => {
  const { status, output } = promtoolSays(path, ['check', 'config', '--syntax-only', 'prometheus.yaml'])
  expect(output).toContain('is valid prometheus config file syntax')
  expect(status).toBe(0)
})

test('every alert has a test in which it fires', () => {
  const tests: readonly RuleTest[] = parse(read('deploy/prometheus/rules.test.yaml')).tests
  const fired = tests
    .flatMap(({ alert_rule_test = [] }) => alert_rule_test)
    .filter(({ exp_alerts }) => exp_alerts.length > 0)
    .map(({ alertname }) => alertname)
  expect(new Set(fired)).toEqual(new Set(names))
})

test('no rule of the error budget counts a question or an approval', () => {
  const burning = rules.filter(({ expr }) => expr.includes('failed') || expr.includes('unavailable'))
  const outcomes = burning.flatMap(({ expr }) => [...expr.matchAll(/outcome(?:=~|=)"([^"]*)"/g)].map(String))
  expect(new Set(outcomes.map((match) => match.split(',').at(-1)))).toEqual(
    new Set(['error|failed_dependency', 'unavailable|untyped_5xx']),
  )
})

test('the runbook has one section for each alert, in the same order, with its three parts', () => {
  const [, ...sections] = read('docs/runbook.md').split(/^## /m)
  expect(sections.map((section) => section.slice(0, section.indexOf('\n')))).toEqual(names)
  for (const section of sections)
    expect(section.match(/^\*\*\w+\.\*\*/gm)).toEqual(['**Meaning.**', '**Look.**', '**Do.**'])
})

test.each(alerts)('$alert has a severity, a summary and its section of the runbook', (rule) => {
  expect(['critical', 'warning']).toContain(rule.labels?.severity)
  expect(rule.annotations?.summary).toMatch(/\.$/)
  expect(rule.annotations?.runbook).toBe(`docs/runbook.md#${rule.alert.toLowerCase()}`)
})
