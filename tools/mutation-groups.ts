/** Files to mutate, with the tests that have to notice it. */
export interface MutationGroup {
  readonly name: string
  readonly mutate: readonly string[]
  readonly tests: readonly string[]
}

const gateway = 'packages/gateway'
const plugins = `${gateway}/src/plugins`

/** The code for access control and secrets. Slow tests are left out: every mutant runs all tests of its group. */
export const mutationGroups: readonly MutationGroup[] = [
  {
    name: 'headers',
    mutate: [
      `${gateway}/src/listen/request-head.ts`,
      `${gateway}/src/upstream/forwarded-headers.ts`,
      `${gateway}/src/upstream/returned-headers.ts`,
    ],
    tests: [
      `${gateway}/src/listen/request-head.test.ts`,
      `${gateway}/src/upstream/{forwarded-headers,returned-headers}.test.ts`,
    ],
  },
  {
    name: 'tenant',
    mutate: [`${plugins}/tenant-injector/*.ts`],
    tests: [`${plugins}/tenant-injector/*.test.ts`, `${gateway}/test/plugins/tenant-injector/*.test.ts`],
  },
  {
    name: 'introspection',
    mutate: [`${plugins}/token-validator/introspection*.ts`],
    tests: [`${plugins}/token-validator/introspection*.test.ts`, `${gateway}/test/introspection.test.ts`],
  },
  {
    name: 'token',
    mutate: [`${plugins}/token-validator/!(introspection*).ts`, 'packages/profile/src/key-set.ts'],
    tests: [
      'packages/profile/src/key-set.test.ts',
      `${plugins}/token-validator/*.test.ts`,
      `${gateway}/test/plugins/token-validator/!(unknown-kids|hostile-key-servers).test.ts`,
    ],
  },
  {
    name: 'redaction',
    mutate: [
      `${gateway}/src/admin/hide-secrets.ts`,
      `${gateway}/src/config/schema/marks.ts`,
      `${plugins}/otel-audit/capture-body.ts`,
      `${plugins}/prompt-sanitize/{compile-rules,redact-text,rewrite-json,rewrite-form,sanitize-body}.ts`,
    ],
    tests: [
      `${gateway}/src/admin/hide-secrets.test.ts`,
      'tests/new-secret-key.test.ts',
      `${plugins}/otel-audit/capture-body.test.ts`,
      `${gateway}/test/plugins/otel-audit/request-body.test.ts`,
      `${plugins}/prompt-sanitize/*.test.ts`,
      `${gateway}/test/plugins/prompt-sanitize/{json-bodies,text-and-forms,rules,rejecting,fails-closed}.test.ts`,
    ],
  },
  {
    name: 'detectors',
    mutate: [`${plugins}/prompt-sanitize/characters.ts`, `${plugins}/prompt-sanitize/detectors/*.ts`],
    tests: [
      `${plugins}/prompt-sanitize/characters.test.ts`,
      `${plugins}/prompt-sanitize/detectors/*.test.ts`,
      `${gateway}/test/plugins/prompt-sanitize/{detector-figures,rules}.test.ts`,
    ],
  },
  {
    name: 'targets',
    mutate: [
      `${gateway}/src/lifetime/neighbours.ts`,
      `${plugins}/prompt-sanitize/{inspect-target,decoded-views}.ts`,
    ],
    tests: [
      `${gateway}/src/lifetime/neighbours.test.ts`,
      `${plugins}/prompt-sanitize/{inspect-target,decoded-views}.test.ts`,
      `${gateway}/test/plugins/prompt-sanitize/rules.test.ts`,
    ],
  },
  {
    name: 'policy',
    mutate: [`${plugins}/route-policy/*.ts`, `${gateway}/src/config/schema/policy-expression.ts`],
    tests: [`${plugins}/route-policy/*.test.ts`, `${gateway}/src/config/schema/policy-expression.test.ts`],
  },
  {
    name: 'identity',
    mutate: [`${gateway}/src/upstream/signed-identity.ts`, 'packages/service/src/trust/*.ts'],
    tests: [
      `${gateway}/src/upstream/signed-identity.test.ts`,
      `${gateway}/test/signed-identity.test.ts`,
      'packages/service/src/trust/*.test.ts',
      'packages/service/test/trust.test.ts',
    ],
  },
  {
    name: 'idempotency',
    mutate: ['packages/service/src/{fingerprint,perform,effect}.ts'],
    tests: [
      'packages/service/src/fingerprint.test.ts',
      'packages/service/test/{idempotency,failures,background,approvals,reservations,swallowed}.test.ts',
    ],
  },
  {
    name: 'keys',
    mutate: ['packages/service/src/runtime/idempotency.ts'],
    tests: ['packages/service/test/runtime/kept-in-memory.test.ts'],
  },
]
