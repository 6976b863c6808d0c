import { freePortBase } from '@agentic-rest/testing/free-port-base'
import { startServer } from '@agentic-rest/testing/start-server'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect, test } from 'vitest'
import type { processNames } from '../../packages/cli/test/golden/cases.ts'
import { goldenFile, steady, transcript } from '../../packages/cli/test/golden/transcript.ts'
import { configuration } from '../../packages/cli/test/harness/configuration.ts'
import { folderWith, runAgentic, spawnAgentic } from '../../packages/cli/test/harness/run-agentic.ts'
import { onTerminal } from './on-terminal.ts'

interface Run {
  readonly args: readonly string[]
  readonly ended: Parameters<typeof transcript>[1]
  /** Values that differ from run to run, with their placeholders. */
  readonly names?: readonly (readonly [text: string | RegExp, name: string])[]
}

async function keep(name: (typeof processNames)[number], { args, ended, names = [] }: Run): Promise<void> {
  const common = [
    [/"time":"[^"]+"/g, '"time":"<time>"'],
    [/^(\^C)?\d\d:\d\d:\d\d(\.\d+)? /gm, '$1<time> '],
  ] as const
  let text = steady(transcript(args, ended))
  for (const [found, replacement] of [...names, ...common]) text = text.replaceAll(found, replacement)
  await expect(text).toMatchFileSnapshot(goldenFile(name))
}

test('start logs where it listens and how it ends', async () => {
  const args = ['start', '-c', 'gateway.yaml']
  const running = spawnAgentic(args, { cwd: folderWith({ 'gateway.yaml': configuration() }) })
  const { port } = await running.logged('the gateway is listening')
  running.child.kill('SIGTERM')
  await keep('start', { args, ended: await running.ended, names: [[`"port":${port}`, '"port":<port>']] })
})

test('start names a port in use', async () => {
  const { port } = await startServer(() => undefined)
  const cwd = folderWith({ 'gateway.yaml': configuration({ gateway: { port } }) })
  const args = ['start', '-c', 'gateway.yaml']
  await keep('start-port-taken', {
    args,
    ended: await runAgentic(args, { cwd }),
    names: [[String(port), '<port>']],
  })
})

testWith('script', 'start is readable on a terminal', async () => {
  const cwd = folderWith({ 'gateway.yaml': configuration() })
  const args = ['start', '-c', `${cwd}/gateway.yaml`]
  const { code, screen } = await onTerminal(args, [['the gateway is listening', '\u0003']], { NO_COLOR: '1' })
  const names = [
    [`"${steady(cwd)}/gateway.yaml"`, '"gateway.yaml"'],
    [/port[= ]\d+/g, 'port=<port>'],
    ['\r', ''],
  ] as const
  await keep('start-terminal', {
    args: ['start', '-c', 'gateway.yaml'],
    ended: { code, stdout: screen, stderr: '' },
    names,
  })
})

test('dev lists the parts with their addresses, a token and commands to try', async () => {
  const portBase = await freePortBase()
  const cwd = folderWith({ 'gateway.yaml': configuration() })
  const running = spawnAgentic(['dev', '--memory', '--port-base', String(portBase)], { cwd })
  running.child.stdout.on('data', (chunk: string) => {
    if (chunk.includes('prints another one')) running.child.kill('SIGINT')
  })
  const ports = [...Array(101).keys()]
    .reverse()
    .map((distance) => [String(portBase + distance), `<port base + ${distance}>`] as const)
  const names = [
    [/eyJ[\w.-]+/g, '<token>'],
    [/process \d+( +)?/g, 'process <process> '],
    [/after [\d.]+ seconds/g, 'after <some> seconds'],
    ...ports,
  ] as const
  await keep('dev', {
    args: ['dev', '--memory', '--port-base', '<port base>'],
    ended: await running.ended,
    names,
  })
})

test('token prints the token alone', async () => {
  const { port } = await startServer(
    (_request, response) => void response.end('{"access_token":"the.token.itself","expires_in":60}'),
  )
  const ended = await runAgentic(['token', '--port-base', String(port - 5)])
  await keep('token', { args: ['token', '--port-base', '<port base>'], ended })
})
