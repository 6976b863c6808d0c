import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatFaults, parseConfig } from '@agentic-rest/gateway'
import { describePostgres } from '@agentic-rest/testing/describe-postgres'
import { eventually } from '@agentic-rest/testing/eventually'
import { freePort } from '@agentic-rest/testing/free-port'
import { startIssuer } from '@agentic-rest/testing/start-issuer'
import { startRedisServer } from '@agentic-rest/testing/start-redis-server'
import { testWith } from '@agentic-rest/testing/test-with'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { repositoryRoot, run } from '../../tools/packed-packages.ts'
import { startDocumentedGateway } from '../documented-gateway.ts'
import { testWithPython } from './python-programs.ts'

interface ComposeService {
  readonly image: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly entrypoint?: readonly string[]
  readonly user?: string
  readonly read_only?: boolean
  readonly privileged?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
}

const folder = join(repositoryRoot, 'deploy')
const file = join(folder, 'compose.yaml')
const compose: {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
} = parse(readFileSync(file, 'utf8'), { merge: true })
const services = Object.entries(compose.services).map(([name, service]) => ({ name, ...service }))

function makeSecrets(): string {
  const secrets = mkdtempSync(join(tmpdir(), 'agentic-secrets-'))
  onTestFinished(() => rmSync(secrets, { recursive: true, force: true }))
  expect(run('sh', [join(folder, 'make-secrets.sh'), secrets], repositoryRoot)).toMatchObject({ status: 0 })
  return secrets
}

testWithPython('check-jsonschema', 'compose.yaml fits the schema of the Compose specification', (runs) => {
  expect(runs(['--builtin-schema', 'vendor.compose-spec', file])).toMatchObject({ status: 0 })
})

test('it has the gateway, a service, both databases and what watches them', () => {
  expect(Object.keys(compose.services)).toEqual([
    'gateway',
    'campaigns',
    'postgres',
    'redis',
    'prometheus',
    'grafana',
  ])
})

describe.each(services)('$name', (service) => {
  test('has a health check, no root, no rights and nothing to write to but its volumes', () => {
    expect(service).toMatchObject({
      healthcheck: { test: expect.arrayContaining([expect.stringMatching(/^CMD/)]) },
      user: expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/),
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
    expect(service.privileged).toBeUndefined()
  })

  test('is reached from this machine only, if at all', () => {
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/)
  })

  test('has a fixed version, and takes secrets from files only', () => {
    expect(service.image).toMatch(/^\$\{AGENTIC_IMAGE:-[\w-]+\}$|:v?\d[\d.]*$/)
    for (const [name, value] of Object.entries(service.environment ?? {}))
      if (/PASSWORD|SECRET|TOKEN|DATABASE_URL|KEY$/.test(name)) expect(value).toMatch(/^\/run\/secrets\//)
  })

  test('mounts files that are there, read-only', () => {
    const files = (service.volumes ?? []).filter((volume) => volume.startsWith('.'))
    for (const mount of files) {
      const [source = '', , mode] = mount.split(':')
      expect(existsSync(join(folder, source)), source).toBe(true)
      expect(mode).toBe('ro')
    }
  })
})

test('gateway and service run from the image of this repository, the service by its built program', () => {
  const { gateway, campaigns } = compose.services
  const { context = '', dockerfile = '' } = gateway?.build ?? {}
  const containerfile = readFileSync(join(folder, context, dockerfile), 'utf8')
  expect(containerfile).toContain('ENTRYPOINT ["agentic"]')
  expect(containerfile).toContain(`USER ${gateway?.user}`)
  expect(campaigns).toMatchObject({ build: gateway?.build, user: gateway?.user })
  const [, program = ''] = campaigns?.entrypoint ?? []
  const [, installed = '', example] =
    /^(.+)\/node_modules\/@agentic-rest\/stack\/dist\/parts\/(\w+)\/src\/main\.js$/.exec(program) ?? []
  expect(containerfile).toContain(`COPY --from=build ${installed} ${installed}\n`)
  expect(existsSync(join(repositoryRoot, `examples/${example}/src/main.ts`))).toBe(true)
})

test('the script makes exactly the secrets of the file, each random, and keeps those that are there', () => {
  const secrets = makeSecrets()
  const names = Object.keys(compose.secrets)
  expect(readdirSync(secrets).toSorted()).toEqual(names)
  expect(names.map((name) => compose.secrets[name]?.file)).toEqual(names.map((name) => `./secrets/${name}`))
  expect(new Set(services.flatMap((service) => service.secrets ?? []))).toEqual(new Set(names))
  expect(statSync(secrets).mode & 0o777).toBe(0o700)
  const read = () => names.map((name) => readFileSync(join(secrets, name), 'utf8'))
  const before = read()
  expect(run('sh', [join(folder, 'make-secrets.sh'), secrets], repositoryRoot)).toMatchObject({ status: 0 })
  expect(read()).toEqual(before)
  expect(new Set(before).size).toBe(names.length)
  const others = makeSecrets()
  for (const [index, name] of names.entries())
    expect(readFileSync(join(others, name), 'utf8')).not.toBe(before[index])
})

test('the configuration of its gateway is valid, and warns of nothing but plain connections inside', () => {
  const path = join(folder, 'gateway.yaml')
  const env = { ISSUER: 'https://id.example.com', SECRETS: makeSecrets() }
  const result = parseConfig(readFileSync(path, 'utf8'), { file: path, env })
  if (!result.ok) return expect.fail(formatFaults(result.faults))
  expect(result.warnings.map(({ id, path: key }) => [id, key])).toEqual([
    ['listener-without-tls', 'gateway.host'],
    ['plain-connection', 'gateway.shared.redis_url_file'],
  ])
})

describePostgres('the processes of compose.yaml', (server) => {
  testWith(
    'redis-server',
    'answer a request with their settings and secrets, through gateway, service, PostgreSQL and Redis',
    async (program) => {
      const secrets = makeSecrets()
      const read = (name: string) => readFileSync(join(secrets, name), 'utf8')
      const lines = read('redis-config').trim().split('\n')
      const settings = lines.flatMap((line) => line.replace(/^(\S+)/, '--$1').split(' '))
      const redis = await startRedisServer({ program, folder: secrets, settings })
      const [gatewayPort, servicePort] = [await freePort(), await freePort()]
      const issuer = await startIssuer('RS256')
      onTestFinished(async () => {
        await redis.stop()
        await issuer.close()
      })
      const here = (text: string) =>
        text
          .replaceAll('gateway:8080', `127.0.0.1:${gatewayPort}`)
          .replaceAll('campaigns:8081', `127.0.0.1:${servicePort}`)
          .replaceAll('redis:6379', `127.0.0.1:${redis.port}`)
          .replaceAll('/run/secrets', secrets)
      const replace = (name: string, text: string) => {
        rmSync(join(secrets, name))
        writeFileSync(join(secrets, name), text)
      }
      replace('redis-url', here(read('redis-url')))
      replace('database-url', await server().createDatabase())

      const environment = Object.entries(compose.services['campaigns']?.environment ?? {})
      const service = spawn(
        process.execPath,
        ['--conditions=agentic-source', join(repositoryRoot, 'examples/campaigns/src/main.ts')],
        {
          env: {
            ...process.env,
            ...Object.fromEntries(environment.map(([name, value]) => [name, here(value)])),
            HOST: '127.0.0.1',
            PORT: String(servicePort),
          },
          stdio: ['ignore', 'ignore', 'inherit'],
        },
      )
      const ended = once(service, 'exit')
      onTestFinished(async () => {
        service.kill('SIGTERM')
        await ended
      })
      const health = () =>
        fetch(`http://127.0.0.1:${servicePort}/healthz`).then(
          ({ ok }) => ok,
          () => false,
        )
      await eventually(health, (isOk) => isOk || service.exitCode !== null)

      const variables = [
        'HOST=127.0.0.1',
        `PORT=${gatewayPort}`,
        `SECRETS=${secrets}`,
        `ISSUER=${issuer.url}`,
        `CAMPAIGNS_URL=http://127.0.0.1:${servicePort}`,
      ]
      const gateway = await startDocumentedGateway(
        `${variables.join(' ')} npx agentic start -c deploy/gateway.yaml`,
      )
      onTestFinished(() => void gateway.stop())
      const url = `http://127.0.0.1:${gateway.port}`
      // The keys of the issuer are fetched in the background.
      const readiness = async () => (await fetch(`${url}/readyz`)).json()
      await expect.poll(readiness, { timeout: 10_000 }).toMatchObject({ degraded: [] })
      const claims = { sub: 'alice', aud: 'agentic', tenant_id: 'acme', roles: ['campaign:optimize'] }
      const authorization = `Bearer ${await issuer.token({ claims })}`
      const created = await fetch(`${url}/campaigns`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Mine' }),
      })
      expect([created.status, await created.json()]).toMatchObject([201, { name: 'Mine' }])
      const direct = await fetch(`http://127.0.0.1:${servicePort}/campaigns/cmp-123`, {
        headers: { 'x-tenant-id': 'acme', 'x-actor-subject': 'alice' },
      })
      expect([direct.status, await direct.json()]).toMatchObject([403, { code: 'IDENTITY_REQUIRED' }])
      const scrape = await (await fetch(`http://127.0.0.1:${servicePort}/metrics`)).text()
      expect(scrape).toContain('\nagentic_approvals_oldest_pending_seconds 0\n')
    },
  )
})
