import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatFaults, parseConfig } from '@agentic-rest/gateway'
import { programPath } from '@agentic-rest/testing/programs'
import { describeWith } from '@agentic-rest/testing/test-with'
import { Ajv } from 'ajv'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { repositoryRoot } from '../../tools/packed-packages.ts'
import { testWithPython } from './python-programs.ts'

// To make the files of deploy/helm/golden again: npx vitest run tests/deploy/helm.all.test.ts -u

type Manifest = Readonly<Record<string, unknown>> & { readonly apiVersion: string; readonly kind: string }

const chart = join(repositoryRoot, 'deploy/helm/agentic-gateway')
const read = (path: string) => readFileSync(join(repositoryRoot, 'deploy/helm', path), 'utf8')
const names = ['minimal', 'production', 'closed'] as const
const kubernetesVersions = ['1.31', '1.34', '1.37']
/** Kinds of operators and of the Gateway API: Kubernetes has no schema of them. */
const customKinds = ['ServiceMonitor', 'PrometheusRule', 'HTTPRoute']

/** Paths of the gateway that no caller needs. */
const operatorPaths = ['/metrics', '/healthz', '/readyz']

const valuesFile = (name: string) => join(chart, `ci/${name}-values.yaml`)
const goldenFile = (name: string) => join(repositoryRoot, `deploy/helm/golden/${name}.yaml`)

function manifestsOf(name: string): readonly Manifest[] {
  return parseAllDocuments(readFileSync(goldenFile(name), 'utf8')).flatMap(
    (document) => document.toJS() ?? [],
  )
}

function manifestOf(name: string, kind: string): Manifest {
  const found = manifestsOf(name).find((manifest) => manifest.kind === kind)
  return found ?? expect.fail(`${name} has no ${kind}`)
}

function temporaryFile(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-helm-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

describeWith('helm', 'helm', () => {
  const runHelm = (args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(programPath('helm'), args, { encoding: 'utf8' })
    return { status, stdout, stderr }
  }
  const template = (...args: string[]) =>
    runHelm(['template', 'agentic', chart, '-n', 'agents', '--kube-version', '1.37.0', ...args])

  test.each(names)('renders the golden manifests of %s', async (name) => {
    const { status, stdout, stderr } = template('-f', valuesFile(name))
    expect(status, stderr).toBe(0)
    await expect(stdout).toMatchFileSnapshot(goldenFile(name))
  })

  test('has nothing to say about the chart', () => {
    const { status, stdout } = runHelm(['lint', '--strict', chart, '-f', valuesFile('production')])
    expect(stdout).toContain('1 chart(s) linted, 0 chart(s) failed')
    expect(status).toBe(0)
  })

  test.each([
    ['an unknown key', ['--set', 'replica=3'], "additional properties 'replica' not allowed"],
    ['a listener on loopback', ['--set', 'config.gateway.host=127.0.0.1'], '/config/gateway/host'],
    ['no routes', ['--set-json', 'config.routes=[]'], 'config.routes is empty'],
    [
      'a grace period shorter than the drain',
      ['--set', 'config.gateway.drain_seconds=60'],
      'terminationGracePeriodSeconds has to be longer than drain_delay_seconds and drain_seconds together, which are 65',
    ],
    ['a route without a Gateway', ['--set', 'httpRoute.enabled=true'], 'httpRoute needs parentRefs'],
    [
      'an admin port without a listener',
      ['--set', 'service.admin=true'],
      'service.admin needs config.gateway.admin',
    ],
    [
      'a policy for an admin port without a listener',
      ['--set-json', 'networkPolicy.adminFrom=[{"podSelector":{}}]'],
      'networkPolicy.adminFrom needs config.gateway.admin',
    ],
    [
      'a file of a secret that is not mounted',
      ['--set', 'config.gateway.shared.redis_url_file=/etc/agentic/secrets/redis/url'],
      'config names a file in /etc/agentic/secrets/redis: add redis to secretFiles',
    ],
    [
      'a password in the ConfigMap',
      ['--set', 'config.gateway.shared.redis_url=redis://:hunter2@redis:6379'],
      'config.gateway.shared.redis_url has a password',
    ],
    [
      'probes that the listener refuses',
      ['--set', 'config.gateway.tls.client_certificate=require'],
      'refuses the probes of the kubelet',
    ],
    [
      'more replicas at least than at most',
      ['--set', 'autoscaling.enabled=true,autoscaling.minReplicas=20'],
      'autoscaling.minReplicas is above autoscaling.maxReplicas',
    ],
    ['a number as a text', ['--set-string', 'replicas=3'], "at '/replicas': got string, want integer"],
  ])('refuses %s, and says why', (_name, args, message) => {
    const { status, stderr } = template('-f', valuesFile('minimal'), ...args)
    expect(status).toBe(1)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('hunter2')
  })

  test('takes passwords from variables, and secrets that are mounted otherwise', () => {
    const accepted = [
      ['--set', `config.gateway.shared.redis_url=redis://:$\{PASSWORD}@redis:6379`],
      [
        '--set',
        'config.gateway.shared.redis_url_file=/etc/agentic/secrets/redis/url',
        '--set-json',
        'extraVolumeMounts=[{"name":"vault","mountPath":"/etc/agentic/secrets/redis"}]',
      ],
      ['--set', 'config.gateway.tls=null,config.gateway.shared=null'],
    ]
    for (const args of accepted) {
      const { status, stderr } = template('-f', valuesFile('minimal'), ...args)
      expect(status, stderr).toBe(0)
    }
  })
})

describe.each(names)('the manifests of %s', (name) => {
  testWithPython(
    'kubernetes-validate',
    `are valid for Kubernetes ${kubernetesVersions.join(', ')}`,
    (run) => {
      const builtIn = manifestsOf(name).filter(({ kind }) => !customKinds.includes(kind))
      expect(builtIn.length).toBeGreaterThan(4)
      const file = temporaryFile('manifests.yaml', builtIn.map((each) => stringify(each)).join('---\n'))
      for (const version of kubernetesVersions) {
        const { status, output } = run(['-k', version, '--strict', file])
        expect(status, output).toBe(0)
        expect(output).not.toMatch(/WARN|ERROR/)
        expect(output.match(/^INFO .* passed /gm)).toHaveLength(builtIn.length)
      }
    },
  )

  test('have the values that the schema of the chart allows', () => {
    const validate = new Ajv({ strict: false }).compile(
      JSON.parse(read('agentic-gateway/values.schema.json')),
    )
    const values = {
      ...parse(read('agentic-gateway/values.yaml')),
      ...parse(readFileSync(valuesFile(name), 'utf8')),
    }
    expect(validate(values) || validate.errors).toBe(true)
  })

  test('have a configuration that the gateway takes, with time for a drain', () => {
    const { data } = manifestOf(name, 'ConfigMap') as unknown as { data: Record<string, string> }
    const env = { ISSUER: 'https://id.example.com', POD_IP: '10.0.0.7' }
    const result = parseConfig(data['gateway.yaml'] ?? '', { file: 'gateway.yaml', env })
    if (!result.ok) return expect.fail(formatFaults(result.faults))
    // The sealed log of this release has one volume, and the operator chooses a second one or an anchor.
    const accepted = name === 'closed' ? ['head-beside-log'] : ['listener-without-tls']
    expect(result.warnings.map(({ id }) => id)).toEqual(accepted)
    const { drain_delay_seconds, drain_seconds } = result.config.gateway
    expect(drain_delay_seconds).toBe(5)
    const { spec } = manifestOf(name, 'Deployment') as unknown as {
      spec: { template: { spec: { terminationGracePeriodSeconds: number } } }
    }
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(
      drain_delay_seconds + drain_seconds,
    )
  })

  test('start the gateway without root and rights, with probes and without a preStop hook', () => {
    const scheme = name === 'closed' ? 'HTTPS' : 'HTTP'
    const probe = (path: string) => ({ httpGet: { path, port: 'http', scheme } })
    const deployment = manifestOf(name, 'Deployment')
    expect(deployment).toMatchObject({
      spec: {
        strategy:
          name === 'closed'
            ? { type: 'Recreate' }
            : { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0 } },
        template: {
          spec: {
            automountServiceAccountToken: false,
            securityContext: {
              runAsNonRoot: true,
              runAsUser: 65532,
              seccompProfile: { type: 'RuntimeDefault' },
            },
            containers: [
              {
                args: ['start', '-c', '/etc/agentic/config/gateway.yaml', '--watch'],
                livenessProbe: probe('/healthz'),
                readinessProbe: probe('/readyz'),
                securityContext: {
                  allowPrivilegeEscalation: false,
                  readOnlyRootFilesystem: true,
                  capabilities: { drop: ['ALL'] },
                },
              },
            ],
          },
        },
      },
    })
    // A file mounted by subPath never follows a change of the ConfigMap.
    expect(JSON.stringify(deployment)).not.toMatch(/preStop|subPath/)
  })
})

test('a minimal release has 40 seconds to end, a disruption budget and a network policy', () => {
  expect(manifestOf('minimal', 'Deployment')).toMatchObject({
    spec: { replicas: 2, template: { spec: { terminationGracePeriodSeconds: 40 } } },
  })
  expect(manifestsOf('minimal').map(({ kind }) => kind)).toEqual([
    'NetworkPolicy',
    'PodDisruptionBudget',
    'ServiceAccount',
    'ConfigMap',
    'Service',
    'Deployment',
  ])
})

test('secrets are files of existing secrets, and no value of the chart becomes one', () => {
  for (const name of names) expect(manifestsOf(name).map(({ kind }) => kind)).not.toContain('Secret')
  expect(manifestOf('production', 'Deployment')).toMatchObject({
    spec: {
      template: {
        spec: {
          volumes: [
            { name: 'config' },
            { secret: { secretName: 'redis', defaultMode: 0o440 } },
            { secret: { secretName: 'identity' } },
            { secret: { secretName: 'approvals' } },
          ],
        },
      },
    },
  })
})

test('a release of production has its scaling, its route, its monitoring, the rules and the dashboard', () => {
  expect(manifestOf('production', 'Deployment')).not.toHaveProperty('spec.replicas')
  expect(manifestOf('production', 'HorizontalPodAutoscaler')).toMatchObject({
    spec: {
      minReplicas: 3,
      maxReplicas: 20,
      scaleTargetRef: { kind: 'Deployment', name: 'agentic-agentic-gateway' },
    },
  })
  expect(manifestOf('production', 'HTTPRoute')).toMatchObject({
    apiVersion: 'gateway.networking.k8s.io/v1',
    spec: {
      parentRefs: [{ name: 'public', namespace: 'ingress' }],
      hostnames: ['agents.example.com'],
      rules: [
        { matches: operatorPaths.map((value) => ({ path: { type: 'Exact', value } })) },
        { backendRefs: [{ name: 'agentic-agentic-gateway', port: 80 }], timeouts: { request: '0s' } },
      ],
    },
  })
  expect(manifestOf('production', 'HTTPRoute')).not.toHaveProperty('spec.rules[0].backendRefs')
  expect(manifestOf('production', 'ServiceMonitor')).toMatchObject({
    spec: { endpoints: [{ port: 'http', path: '/metrics', interval: '30s' }] },
  })
  const rules = parse(readFileSync(join(repositoryRoot, 'deploy/prometheus/rules.yaml'), 'utf8'))
  expect(manifestOf('production', 'PrometheusRule')).toMatchObject({ spec: rules })
  const dashboards = manifestsOf('production').filter((each) =>
    JSON.stringify(each).includes('grafana_dashboard'),
  )
  const [{ data } = { data: {} }] = dashboards as unknown as { data: Record<string, string> }[]
  const dashboard = readFileSync(join(repositoryRoot, 'deploy/grafana/agentic.json'), 'utf8')
  expect(JSON.parse(data['agentic.json'] ?? '')).toEqual(JSON.parse(dashboard))
})

test('metrics of the admin listener are scraped by TLS, from the admin port, by whom the policy lets in', () => {
  expect(manifestOf('closed', 'ServiceMonitor')).toMatchObject({
    spec: {
      endpoints: [{ port: 'admin', scheme: 'https', tlsConfig: { serverName: 'inner-gateway.agents.svc' } }],
    },
  })
  expect(manifestOf('closed', 'NetworkPolicy')).toMatchObject({
    spec: { ingress: [{ ports: [{ port: 'http' }] }, { ports: [{ port: 'admin' }] }] },
  })
  expect(manifestOf('closed', 'PersistentVolumeClaim')).toMatchObject({ metadata: { namespace: 'agents' } })
})
