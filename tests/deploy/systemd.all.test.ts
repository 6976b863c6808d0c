import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { basename, join } from 'node:path'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect, test } from 'vitest'
import { records, sealedLog } from '../../packages/audit-log/test/sealed-log.ts'
import { configuration } from '../../packages/cli/test/harness/configuration.ts'
import { agentic, folderWith } from '../../packages/cli/test/harness/run-agentic.ts'
import { gatewaySection } from '../../packages/gateway/src/config/schema/gateway-section.ts'
import { repositoryRoot } from '../../tools/packed-packages.ts'
import { addFiles, temporaryTree } from '../../tools/temporary-tree.ts'

const folder = join(repositoryRoot, 'deploy/systemd')
const units = readdirSync(folder)
const services = units.filter((unit) => unit.endsWith('.service'))
const analyze = 'systemd-analyze'
const strace = 'strace'

/** The highest exposure of a unit, from 0 to 10. */
const MOST_EXPOSURE = 2

function textOf(unit: string): string {
  return readFileSync(join(folder, unit), 'utf8')
}

/** All values of a setting, joined: later lines add to earlier ones. */
function setting(unit: string, name: string): string {
  const lines = [...textOf(unit).matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))]
  return lines.map(([, value = '']) => value).join(' ')
}

test('a gateway, services, and a timer that removes old audit files can be enabled', () => {
  expect(units).toEqual([
    'agentic-audit-retention.service',
    'agentic-audit-retention.timer',
    'agentic-gateway.service',
    'agentic-service@.service',
  ])
  for (const unit of units.filter((each) => each !== 'agentic-audit-retention.service'))
    expect(textOf(unit), unit).toMatch(/\n\[Install\]\nWantedBy=(multi-user|timers)\.target\n$/)
})

test('a stop waits longer than the drain of a gateway takes by default', () => {
  const { drain_seconds, drain_delay_seconds } = gatewaySection.parse({})
  expect(Number(setting('agentic-gateway.service', 'TimeoutStopSec'))).toBeGreaterThan(
    drain_seconds + drain_delay_seconds + 5,
  )
})

testWith(analyze, 'systemd-analyze finds little exposure and no fault in the units', (program) => {
  const root = systemRoot()
  for (const service of services) {
    const { stdout } = spawnSync(program, ['security', '--offline=yes', join(folder, service)], {
      encoding: 'utf8',
    })
    const exposure = /Overall exposure level for \S+: ([\d.]+) /.exec(stdout)?.[1]
    expect(Number(exposure), `${service}: ${stdout}`).toBeLessThanOrEqual(MOST_EXPOSURE)
  }
  expect(verify(program, root, units)).toEqual({ status: 0, stdout: '', stderr: '' })
})

testWith(analyze, 'systemd-analyze accepts the documented drop-in', (program) => {
  const page = readFileSync(join(repositoryRoot, 'docs/deployment.md'), 'utf8')
  const [, dropIn = ''] = /```ini\n(.*?)```/s.exec(page) ?? []
  expect(dropIn).toContain('LoadCredential=')
  const root = systemRoot()
  addFiles(root, { 'etc/systemd/system/agentic-gateway.service.d/secrets.conf': dropIn })
  const gateway = ['agentic-gateway.service']
  expect(verify(program, root, gateway)).toEqual({ status: 0, stdout: '', stderr: '' })
  const wrong = dropIn.replace('LoadCredential', 'LoadCredentials')
  addFiles(root, { 'etc/systemd/system/agentic-gateway.service.d/secrets.conf': wrong })
  expect(verify(program, root, gateway).stderr).toContain('LoadCredentials')
})

testWith(analyze, 'systemd-analyze does complain about a wrong unit and a missing program', (program) => {
  const root = systemRoot()
  const wrong = textOf('agentic-gateway.service')
    .replace('KillMode=mixed', 'KillMod=mixed')
    .replace('.bin/agentic start', '.bin/agentik start')
  addFiles(root, { 'etc/systemd/system/wrong.service': wrong })
  const { status, stderr } = verify(program, root, ['wrong.service'])
  expect(status).not.toBe(0)
  expect(stderr).toMatch(/Unknown key( name)? 'KillMod'/)
  expect(stderr).toContain('agentik is not executable')
})

/** A file system with systemd's own units, ours and the programs that they start. */
function systemRoot(): string {
  const programs = [
    'opt/agentic/current/node_modules/.bin/agentic',
    'bin/kill',
    'usr/bin/env',
    'usr/bin/find',
  ]
  const root = temporaryTree(Object.fromEntries(programs.map((program) => [program, '#!/bin/sh\n'])))
  for (const program of programs) chmodSync(join(root, program), 0o755)
  cpSync('/usr/lib/systemd/system', join(root, 'usr/lib/systemd/system'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  mkdirSync(join(root, 'etc/systemd'), { recursive: true })
  cpSync(folder, join(root, 'etc/systemd/system'), { recursive: true })
  return root
}

function verify(program: string, root: string, names: readonly string[]) {
  const paths = names.map((name) => join(root, 'etc/systemd/system', name.replace('@.', '@shop.')))
  for (const [at, path] of paths.entries()) {
    const source = join(folder, names[at] ?? '')
    if (basename(path) !== names[at]) cpSync(source, path)
  }
  const { status, stdout, stderr } = spawnSync(
    program,
    ['verify', `--root=${root}`, '--man=no', '--recursive-errors=no', ...paths],
    { encoding: 'utf8' },
  )
  return { status, stdout, stderr }
}

// The kernel's filter is not needed to know: strace reports the calls that it would refuse.
testWith(
  [strace, analyze],
  'a gateway with workers starts, serves and drains without the system calls that its unit refuses',
  (program) => {
    const refused = refusedCalls('agentic-gateway.service')
    expect(refused).toContain('ptrace')
    expect(refused).not.toContain('execve')
    const text = configuration({ gateway: { workers: 2 } })
    const cwd = folderWith({ 'gateway.yaml': text, 'start.sh': startAndStop })
    const filter = [
      '--seccomp-bpf',
      '-f',
      '-qq',
      '-o',
      'calls',
      '-e',
      `trace=${refused.map((call) => `?${call}`).join(',')}`,
    ]
    const ended = spawnSync(program, [...filter, 'sh', 'start.sh', process.execPath, agentic], {
      cwd,
      encoding: 'utf8',
    })
    expect(ended.stderr).toContain('"drained"')
    expect(ended.status).toBe(0)
    const calls = readFileSync(join(cwd, 'calls'), 'utf8').match(/\b\w+(?=\()/g) ?? []
    // Node raises its limit of open files and goes on without it. LimitNOFILE has raised it already.
    expect(calls.filter((call) => !['setrlimit', 'prlimit64'].includes(call))).toEqual([])
  },
)

/** Starts a gateway, asks it until it is ready, and ends it. */
const startAndStop = `"$1" "$2" start -c gateway.yaml 2>log &
gateway=$!
until port=$(sed -n 's/.*"the gateway is listening".*"port":\\([0-9]*\\).*/\\1/p' log) && [ -n "$port" ]; do
  kill -0 $gateway || exit 1
  sleep 0.1
done
"$1" "$2" health --url "http://127.0.0.1:$port" --timeout-ms 60000 && kill -TERM $gateway && wait $gateway
status=$?
cat log >&2
exit $status
`

/** The known system calls that the filter of a unit refuses. */
function refusedCalls(unit: string): string[] {
  const groups = readGroups()
  // Always allowed with a list of allowed calls (systemd.exec).
  const allowed = new Set(callsOf('@default', groups))
  const [list = '', ...refusals] = setting(unit, 'SystemCallFilter').split('~')
  for (const name of list.trim().split(' ')) for (const call of callsOf(name, groups)) allowed.add(call)
  for (const name of refusals.join(' ').trim().split(/ +/))
    for (const call of callsOf(name, groups)) allowed.delete(call)
  return callsOf('@known', groups).filter((call) => !allowed.has(call))
}

type Groups = ReadonlyMap<string, readonly string[]>

/** The groups of system calls with their members, which may be groups. */
function readGroups(): Groups {
  const { stdout } = spawnSync('systemd-analyze', ['syscall-filter'], { encoding: 'utf8' })
  const texts = stdout.split(/\n(?=@)/).map((text) => text.trim().split(/\n\s*/))
  return new Map(
    texts.map(([name = '', ...members]) => [name, members.filter((each) => !each.startsWith('#'))]),
  )
}

function callsOf(name: string, groups: Groups): string[] {
  if (!name.startsWith('@')) return [name]
  const members = groups.get(name)
  if (members === undefined) throw new Error(`there is no group ${name}`)
  return members.flatMap((member) => callsOf(member, groups))
}

test('the timer removes old closed files of a sealed log, and the rest verifies and goes on', async () => {
  const log = sealedLog()
  const written = log.open({ rotate: { maxBytes: 1 } })
  for (const from of [0, 10, 20]) await written.append({ records: records(10, from) })
  await written.close()
  const closed = readdirSync(log.folder).filter((file) => /^audit-\d+\.jsonl$/.test(file))
  expect(closed.length).toBeGreaterThanOrEqual(2)
  addFiles(log.folder, { 'audit-000000000000.bodies': '{}\n', 'audit-notes.jsonl': '{}\n' })
  const oldest = closed[0] ?? ''
  // 401 whole days and some hours: find counts whole days.
  const old = Date.now() / 1000 - 402 * 86_400
  const aged = [oldest, 'audit-000000000000.bodies', 'audit-notes.jsonl', 'audit.jsonl', 'audit.checkpoints']
  for (const file of aged) utimesSync(join(log.folder, file), old, old)
  const command = setting('agentic-audit-retention.service', 'ExecStart')
    .replace('/var/lib/agentic-gateway/', `${log.folder}/`)
    .replaceAll('\\\\', '\\')
  const { status, stdout } = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
  expect({
    status,
    removed: stdout
      .trim()
      .split('\n')
      .map((path) => basename(path))
      .toSorted(),
  }).toEqual({
    status: 0,
    removed: ['audit-000000000000.bodies', oldest].toSorted(),
  })
  rmSync(join(log.folder, 'audit-notes.jsonl'))
  expect((await log.verify()).faults).toEqual([])
  const again = log.open()
  await again.append({ records: records(1, 30) })
  await again.close()
  expect((await log.verify()).faults).toEqual([])
})
