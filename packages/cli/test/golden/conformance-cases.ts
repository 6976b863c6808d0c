import type { GoldenCase } from './cases.ts'

const nobody = 'http://127.0.0.1:9'

/** Command lines of `validate` and `conformance` that need no service. */
export const conformanceCases: readonly GoldenCase[] = [
  { name: 'validate-valid', args: ['validate', 'conformance/conflict.json'] },
  { name: 'validate-invalid', args: ['validate', 'conformance/conflict.json', 'conformance/no-trace.json'] },
  { name: 'validate-empty-list', args: ['validate', 'conformance/empty.json'] },
  { name: 'validate-json', args: ['validate', 'conformance/no-trace.json', '--json'] },
  { name: 'validate-control-characters', args: ['validate', 'conformance/hostile.json'] },
  { name: 'validate-control-characters-json', args: ['validate', 'conformance/hostile.json', '--json'] },
  { name: 'validate-broken', args: ['validate', 'conformance/broken.txt'] },
  { name: 'validate-fixtures', args: ['validate', 'conformance/fixtures.json'] },
  { name: 'validate-openapi', args: ['validate', 'conformance/openapi.yaml'] },
  { name: 'validate-package', args: ['validate', 'conformance/package/package.json'] },
  { name: 'validate-no-such-file', args: ['validate', 'nowhere.json'] },
  { name: 'validate-without-file', args: ['validate'] },
  { name: 'validate-wrong-profile', args: ['validate', 'conformance/conflict.json', '--profile', 'v0.4'] },
  { name: 'conformance-wrong-port-base', args: ['conformance', '--port-base', '99999', '--report', 'htlm'] },
  { name: 'conformance-wrong-url', args: ['conformance', 'localhost:8080', '--report', 'htlm'] },
  { name: 'conformance-two-urls', args: ['conformance', nobody, nobody] },
  { name: 'conformance-two-reports', args: ['conformance', nobody, '--report', 'json', '--report', 'md'] },
  { name: 'conformance-output-too-many', args: ['conformance', nobody, '--report', 'json=a', '-o', 'b'] },
  { name: 'conformance-nobody', args: ['conformance', nobody] },
  {
    name: 'conformance-wrong-files',
    args: [
      ...['conformance', nobody, '--only', 'trace-presnt', '--scenario', 'conformance/bad.yaml'],
      ...['--expected-failures', 'conformance/known.txt'],
    ],
  },
  { name: 'conformance-no-such-file', args: ['conformance', nobody, '--scenario', 'nowhere.yaml'] },
  { name: 'conformance-value-as-option', args: ['conformance', nobody, '--json'] },
  { name: 'conformance-misspelt-init', args: ['conformance', 'int', 'conformance/openapi.yaml'] },
  { name: 'conformance-init-no-such-file', args: ['conformance', 'init', 'missing.json'] },
  { name: 'conformance-init', args: ['conformance', 'init', 'conformance/openapi.yaml'] },
  { name: 'conformance-init-without-document', args: ['conformance', 'init'] },
  { name: 'conformance-init-no-openapi', args: ['conformance', 'init', 'conformance/conflict.json'] },
  {
    name: 'conformance-init-replaces-nothing',
    args: ['conformance', 'init', 'conformance/openapi.yaml', '-o', 'gateway.yaml'],
  },
]
