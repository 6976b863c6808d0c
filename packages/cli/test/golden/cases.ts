import { outcomesByName } from '../harness/outcome-service.ts'
import type { RunHere } from '../harness/run-here.ts'
import { conformanceCases } from './conformance-cases.ts'

const correlated = ['--header', 'X-Correlation-ID: c-1']

// The key of the log in `files/audit`; its private part was not kept.
const auditKey = 'agents.example.com/audit/7f3c+1ba15e73+AcUVCL1RXvcstb3JM4C3Dge+k1NQ0qNDtA2WnhXCx638'
const keyed = ['--key', auditKey]

/** One command line with a golden file. */
export interface GoldenCase extends RunHere {
  /** The name of the file. */
  readonly name: string
  /** Whether it calls the test service; its address is then added. */
  readonly calls?: boolean
  /** Whether it calls the test service with approvals; its address is then added. */
  readonly approves?: boolean
  /** Whether it asks the admin listener of the test; its address is then added. */
  readonly asksAdmin?: boolean
  /** The folder that it writes, in a copy of `golden/files`. Its files are part of the golden file. */
  readonly writes?: string
  readonly args: readonly string[]
}

/** The command lines, run in `golden/files`. Each `--help` is added as a case. */
export const goldenCases: readonly GoldenCase[] = [
  { name: 'overview', args: ['--help'] },
  { name: 'no-command', args: [] },
  { name: 'wrong-command', args: ['chek', 'gateway.yaml'] },
  { name: 'wrong-command-far', args: ['fly'] },
  { name: 'wrong-command-prototype', args: ['constructor'] },
  { name: 'wrong-command-control-characters', args: ['\u001b[31mred'] },
  { name: 'wrong-option-of-agentic', args: ['--versoin'] },
  { name: 'check-without-file', args: ['check'] },
  { name: 'check-two-files', args: ['check', 'a.yaml', 'b.yaml'] },
  { name: 'check-wrong-option', args: ['check', '--jsn'] },
  { name: 'check-prototype-option', args: ['check', 'gateway.yaml', '--__proto__'] },
  { name: 'check-switch-with-value', args: ['check', 'gateway.yaml', '--json=yes'] },
  { name: 'check-option-twice', args: ['check', 'gateway.yaml', '--json', '--json'] },
  { name: 'check-wrong-format', args: ['check', 'gateway.yaml', '--format', 'sarfi'] },
  { name: 'check-two-formats', args: ['check', 'gateway.yaml', '--format', 'github', '--json'] },
  { name: 'check-valid', args: ['check', 'gateway.yaml'] },
  { name: 'check-valid-json', args: ['check', 'gateway.yaml', '--json'] },
  { name: 'check-unwise', args: ['check', 'open.yaml'] },
  { name: 'check-unwise-all', args: ['check', 'unwise.yaml'] },
  { name: 'check-unwise-strict', args: ['check', 'open.yaml', '--strict'] },
  { name: 'check-unwise-github', args: ['check', 'open.yaml', '--format', 'github'] },
  { name: 'check-unwise-sarif', args: ['check', 'open.yaml', '--format', 'sarif'] },
  { name: 'check-unwise-json', args: ['check', 'open.yaml', '--format', 'json', '--strict'] },
  { name: 'check-bad', args: ['check', 'bad.yaml'] },
  { name: 'check-bad-github', args: ['check', 'bad.yaml', '--format', 'github'] },
  { name: 'check-bad-json', args: ['check', 'bad.yaml', '--json'] },
  { name: 'check-no-such-file', args: ['check', 'nowhere.yaml'] },
  { name: 'start-without-file', args: ['start'] },
  { name: 'start-wrong-option', args: ['start', '--confg', 'gateway.yaml'] },
  { name: 'start-option-without-value', args: ['start', '-c', '--log-level', 'info'] },
  { name: 'start-empty-value', args: ['start', '--config='] },
  { name: 'start-wrong-level', args: ['start', '-c', 'gateway.yaml', '--log-level', 'inof'] },
  { name: 'start-bad', args: ['start', '-c', 'bad.yaml'] },
  { name: 'start-no-such-file', args: ['start', '-c', 'nowhere.yaml'] },
  { name: 'reload-no-gateway', args: ['reload', 'http://127.0.0.1:18'] },
  { name: 'reload-wrong-url', args: ['reload', 'localhost:8090'] },
  { name: 'reload-wrong-token', args: ['reload', '--token', 'two words'] },
  { name: 'health-no-gateway', args: ['health', '--url', 'http://127.0.0.1:18', '--timeout-ms', '5000'] },
  { name: 'health-wrong-url', args: ['health', '--url', 'localhost:8080'] },
  { name: 'health-wrong-timeout', args: ['health', '--timeout-ms', '0'] },
  { name: 'health-wrong-option', args: ['health', '--timeout', '5'] },
  { name: 'health-operand', args: ['health', 'http://127.0.0.1:8080'] },
  { name: 'usage', asksAdmin: true, args: ['usage'] },
  { name: 'usage-json', asksAdmin: true, args: ['usage', '--tenant', 'acme', '--json'] },
  { name: 'usage-tenant', asksAdmin: true, args: ['usage', '--tenant', 'acme'] },
  { name: 'usage-hostile', asksAdmin: true, args: ['usage', '--tenant', 'hostile'] },
  { name: 'usage-no-limits', asksAdmin: true, args: ['usage', '--tenant', 'no-limits'] },
  { name: 'usage-only-counts', asksAdmin: true, args: ['usage', '--tenant', 'only-counts'] },
  { name: 'usage-after-limits', asksAdmin: true, args: ['usage', '--tenant', 'after-limits'] },
  { name: 'usage-no-requests', asksAdmin: true, args: ['usage', '--tenant', 'no-requests'] },
  { name: 'usage-wrong-tenant', asksAdmin: true, args: ['usage', '--tenant', 'a b'] },
  { name: 'usage-signed-out', asksAdmin: true, args: ['usage', '--tenant', 'signed-out'] },
  { name: 'usage-other-server', asksAdmin: true, args: ['usage', '--tenant', 'other-server'] },
  { name: 'usage-no-gateway', args: ['usage', '--admin', 'http://127.0.0.1:18'] },
  { name: 'usage-wrong-url', args: ['usage', '--admin', 'localhost:8090'] },
  { name: 'usage-wrong-token', args: ['usage', '--token', 'two words'] },
  { name: 'usage-wrong-option', args: ['usage', '--tennant', 'acme'] },
  { name: 'explain', asksAdmin: true, args: ['explain', 'req-1'] },
  { name: 'explain-json', asksAdmin: true, args: ['explain', 'corr-1', '--json'] },
  { name: 'explain-unknown', asksAdmin: true, args: ['explain', 'nobody'] },
  { name: 'explain-audit', args: ['explain', 'req-1', '--audit', 'explained.jsonl'] },
  { name: 'explain-audit-redacted', args: ['explain', 'req-9', '--audit', 'explained.jsonl'] },
  { name: 'explain-audit-unknown', args: ['explain', 'nobody', '--audit', 'explained.jsonl'] },
  { name: 'explain-audit-no-file', args: ['explain', 'req-1', '--audit', 'none.jsonl'] },
  {
    name: 'explain-both',
    args: ['explain', 'x', '--admin', 'http://127.0.0.1:18', '--audit', 'explained.jsonl'],
  },
  { name: 'explain-no-gateway', args: ['explain', 'x', '--admin', 'http://127.0.0.1:18'] },
  { name: 'explain-without-id', args: ['explain'] },
  { name: 'dev-wrong-port-base', args: ['dev', '--port-base', '80.5'] },
  { name: 'dev-service-of-another-language', args: ['dev', '-c', 'gateway.yaml', '--service', 'app.py'] },
  { name: 'dev-wrong-option', args: ['dev', '--memroy'] },
  { name: 'audit-without-action', args: ['audit'] },
  { name: 'audit-wrong-action', args: ['audit', 'verfy'] },
  { name: 'audit-keygen-without-name', args: ['audit', 'keygen', '-o', 'key.pem'] },
  { name: 'audit-keygen-wrong-name', args: ['audit', 'keygen', '--name', 'my log', '-o', 'key.pem'] },
  { name: 'audit-keygen-without-file', args: ['audit', 'keygen', '--name', 'a.test/audit'] },
  { name: 'audit-keygen-over-file', args: ['audit', 'keygen', '--name', 'a.test', '-o', 'gateway.yaml'] },
  { name: 'audit-verify-without-file', args: ['audit', 'verify'] },
  { name: 'audit-verify-without-key', args: ['audit', 'verify', 'audit/audit.jsonl'] },
  { name: 'audit-verify-wrong-key', args: ['audit', 'verify', 'audit/audit.jsonl', '--key', 'abc'] },
  { name: 'audit-verify-no-such-file', args: ['audit', 'verify', 'audit/none.jsonl', ...keyed] },
  { name: 'audit-verify', args: ['audit', 'verify', 'audit/audit.jsonl', ...keyed] },
  { name: 'audit-verify-json', args: ['audit', 'verify', 'audit/audit.jsonl', '--json', ...keyed] },
  {
    name: 'audit-verify-anchor',
    args: ['audit', 'verify', 'audit/audit.jsonl', '--anchor', 'audit/audit.checkpoints', ...keyed],
  },
  {
    name: 'audit-verify-changed',
    args: ['audit', 'verify', 'audit/changed.jsonl', '--checkpoints', 'audit/audit.checkpoints', ...keyed],
  },
  { name: 'audit-verify-proof', args: ['audit', 'verify', 'audit/record.tlog-proof', ...keyed] },
  { name: 'audit-prove', args: ['audit', 'prove', 'audit/audit.jsonl', '--request-id', 'r-2', ...keyed] },
  {
    name: 'audit-prove-unknown',
    args: ['audit', 'prove', 'audit/audit.jsonl', '--request-id', 'r-9', ...keyed],
  },
  { name: 'audit-prove-without-id', args: ['audit', 'prove', 'audit/audit.jsonl', ...keyed] },
  { name: 'routes', args: ['routes', 'gateway.yaml'] },
  { name: 'routes-json', args: ['routes', 'gateway.yaml', '--json'] },
  { name: 'routes-policies', args: ['routes', 'policies.yaml'] },
  { name: 'routes-none', args: ['routes', 'open.yaml'] },
  { name: 'routes-add-without-from', args: ['routes', 'add', 'gateway.yaml'] },
  { name: 'routes-add-without-file', args: ['routes', 'add', '--from', 'shop.openapi.yaml'] },
  { name: 'routes-add-with-test', args: ['routes', 'add', 'gateway.yaml', '--test', 'GET /x'] },
  { name: 'routes-misspelt-add', args: ['routes', 'ad', 'gateway.yaml'] },
  { name: 'routes-from-without-add', args: ['routes', 'gateway.yaml', '--from', 'shop.openapi.yaml'] },
  {
    name: 'routes-add-to-file',
    args: [
      'routes',
      'add',
      'gateway.yaml',
      '--from',
      'shop.openapi.yaml',
      '--target',
      'http://127.0.0.1:9000',
    ],
    writes: 'nothing',
  },
  { name: 'routes-bad', args: ['routes', 'bad.yaml'] },
  ...routeTests([
    ['routes-test', 'POST /campaigns/x/optimizations'],
    ['routes-test-stream', 'post /llm/completions'],
    ['routes-test-parameters', 'GET /campaigns/a%20b/optimizations/7?full=1'],
    ['routes-test-own', 'GET /healthz'],
    ['routes-test-not-found', 'GET /nowhere'],
    ['routes-test-other-method', 'DELETE /llm/completions'],
    ['routes-test-refused', 'GET /campaigns/../x'],
    ['routes-test-control-characters', 'GET /\u001b[31mred'],
    ['routes-test-wrong-method', 'PSOT /llm/completions'],
    ['routes-test-no-path', 'POST'],
  ]),
  { name: 'routes-test-json', args: ['routes', 'gateway.yaml', '--test', 'GET /nowhere', '--json'] },
  ...Object.keys(outcomesByName).flatMap(callsFor),
  { name: 'call-stream', calls: true, args: ['call', 'POST', '/stream'] },
  { name: 'call-stream-json', calls: true, args: ['call', 'POST', '/stream', '--json'] },
  { name: 'call-stream-broken', calls: true, args: ['call', 'POST', '/broken-stream', ...correlated] },
  { name: 'call-no-profile', calls: true, args: ['call', 'GET', '/page', ...correlated] },
  { name: 'call-no-profile-json', calls: true, args: ['call', 'GET', '/page', '--json', ...correlated] },
  { name: 'call-no-service', args: ['call', 'POST', '/x', '--base-url', 'http://127.0.0.1:18'] },
  { name: 'call-without-path', args: ['call', 'GET'] },
  { name: 'call-wrong-method', args: ['call', 'PSOT', '/x'] },
  { name: 'call-wrong-option', args: ['call', 'GET', '/x', '--tenent', 'acme'] },
  { name: 'call-wrong-base-url', args: ['call', 'GET', '/x', '--base-url', 'localhost:8080'] },
  { name: 'call-relative-path', args: ['call', 'GET', 'x'] },
  { name: 'call-dot-segment', args: ['call', 'GET', '/a/../b'] },
  { name: 'call-template', args: ['call', 'GET', '/items/{itemId}'] },
  { name: 'call-wrong-data', args: ['call', 'POST', '/x', '--data', '{goal: ctr}'] },
  { name: 'call-no-such-data', args: ['call', 'POST', '/x', '--data', '@nowhere.json'] },
  { name: 'call-data-with-get', args: ['call', 'GET', '/x', '--data', '{}'] },
  { name: 'call-wrong-header', args: ['call', 'GET', '/x', '--header', 'no colon'] },
  { name: 'call-wrong-timeout', args: ['call', 'GET', '/x', '--timeout', 'soon'] },
  ...approvalCases([
    ['approvals-list', 'list'],
    ['approvals-list-json', 'list', '--json', '--limit', '1'],
    ['approvals-list-page', 'list', '--limit', '2', '--state', 'all'],
    ['approvals-list-hostile', 'list', '--limit', '1', '--state', 'expired'],
    ['approvals-list-next', 'list', '--cursor', 'c-2'],
    ['approvals-list-none', 'list', '--state', 'used'],
    ['approvals-list-wrong-limit', 'list', '--limit', 'many'],
    ['approvals-list-wrong-state', 'list', '--state', 'aproved'],
    ['approvals-list-with-id', 'list', 'a-1'],
    ['approvals-show', 'show', 'a-1'],
    ['approvals-show-json', 'show', 'a-1', '--json'],
    ['approvals-show-location', 'show', 'https://agents.example.com/approvals/a-1'],
    ['approvals-show-hostile', 'show', 'hostile'],
    ['approvals-show-old', 'show', 'old'],
    ['approvals-show-unknown', 'show', 'nobody', '--json'],
    ['approvals-show-no-approval', 'show', 'page'],
    ['approvals-show-wrong-id', 'show', 'a/b'],
    ['approvals-show-with-comment', 'show', 'a-1', '--comment', 'x'],
    ['approvals-without-id', 'wait'],
    ['approvals-wrong-action', 'aprove', 'a-1'],
    ['approvals-approve', 'approve', 'a-1', '--yes', '--comment', 'fine'],
    ['approvals-approve-without-terminal', 'approve', 'a-1'],
    ['approvals-approve-own', 'approve', 'mine', '--yes'],
    ['approvals-approve-changed', 'approve', 'a-1', '--yes', '--digest', 'd-2'],
    ['approvals-reject-json', 'reject', 'a-1', '--json'],
    ['approvals-wait-rejected', 'wait', 'rejected'],
    ['approvals-wait-in-vain', 'wait', 'a-1', '--timeout', '0.1'],
    ['approvals-wait-wrong-timeout', 'wait', 'a-1', '--timeout', 'soon'],
  ]),
  { name: 'approvals-without-action', args: ['approvals'] },
  { name: 'approvals-wrong-token', args: ['approvals', 'list', '--token', 'two words'] },
  { name: 'approvals-no-gateway', args: ['approvals', 'list', '--base-url', 'http://127.0.0.1:18'] },
  { name: 'init', args: ['init', 'my-agent', '--packages', 'registry'], writes: 'my-agent' },
  {
    name: 'init-from',
    args: ['init', 'shop', '--from', 'shop.openapi.yaml', '--packages', 'registry'],
    writes: 'shop',
  },
  { name: 'init-json', args: ['init', 'deep/My Agent!', '--json', '--packages', 'registry'], writes: 'none' },
  { name: 'init-without-folder', args: ['init'] },
  { name: 'init-not-empty', args: ['init', '.'] },
  { name: 'init-no-folder', args: ['init', 'gateway.yaml'] },
  { name: 'init-wrong-option', args: ['init', 'my-agent', '--form', 'shop.openapi.yaml'] },
  { name: 'init-from-nothing', args: ['init', 'none', '--from', 'nowhere.yaml'] },
  { name: 'init-from-another-format', args: ['init', 'none', '--from', 'old.swagger.json'] },
  { name: 'init-from-a-gateway', args: ['init', 'none', '--from', 'gateway.yaml'] },
  { name: 'check-value-as-option', args: ['check', 'gateway.yaml', '--sarif'] },
  { name: 'completion-without-shell', args: ['completion'] },
  { name: 'completion-wrong-shell', args: ['completion', 'zhs'] },
  { name: 'completion-bash', args: ['completion', 'bash'] },
  { name: 'completion-zsh', args: ['completion', 'zsh'] },
  { name: 'completion-fish', args: ['completion', 'fish'] },
  { name: 'token-wrong-port-base', args: ['token', '--port-base', '0'] },
  { name: 'token-without-stack', args: ['token', '--port-base', '4'] },
  { name: 'token-wrong-option', args: ['token', '--tenat', 'acme'] },
  { name: 'mcp-without-url', args: ['mcp'] },
  { name: 'mcp-wrong-action', args: ['mcp', 'tool', 'gateway.yaml'] },
  { name: 'mcp-wrong-url', args: ['mcp', '--url', 'localhost:8080'] },
  { name: 'mcp-url-with-password', args: ['mcp', '--url', 'https://a:secret@agents.example.test'] },
  { name: 'mcp-url-with-query', args: ['mcp', '--url', 'https://agents.example.test/mcp?a=1'] },
  { name: 'mcp-wrong-token', args: ['mcp', '--url', 'http://127.0.0.1:18', '--token', 'two words'] },
  { name: 'mcp-wrong-tenant', args: ['mcp', '--url', 'http://127.0.0.1:18', '--tenant', 'a\nb'] },
  { name: 'mcp-with-json', args: ['mcp', '--url', 'http://127.0.0.1:18', '--json'] },
  {
    name: 'mcp-no-gateway',
    args: ['mcp', '--url', 'http://127.0.0.1:18/', '--token', 'never-shown'],
    stdin: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n',
  },
  { name: 'mcp-bad-lines', args: ['mcp', '--url', 'http://127.0.0.1:18'], stdin: '\nhello\n[]\n{"id":2}' },
  { name: 'mcp-tools', args: ['mcp', 'tools', 'tools.yaml'] },
  { name: 'mcp-tools-json', args: ['mcp', 'tools', 'tools.yaml', '--json'] },
  { name: 'mcp-tools-without-source', args: ['mcp', 'tools'] },
  { name: 'mcp-tools-with-url', args: ['mcp', 'tools', 'tools.yaml', '--url', 'http://127.0.0.1:18'] },
  { name: 'mcp-tools-no-section', args: ['mcp', 'tools', 'gateway.yaml'] },
  { name: 'mcp-tools-bad', args: ['mcp', 'tools', 'bad.yaml'] },
  { name: 'mcp-tools-no-gateway', args: ['mcp', 'tools', 'http://127.0.0.1:18', '--token', 'never-shown'] },
  ...conformanceCases,
]

function approvalCases(rows: readonly (readonly [name: string, ...args: string[]])[]): GoldenCase[] {
  return rows.map(([name, ...args]) => ({ name, approves: true, args: ['approvals', ...args] }))
}

function routeTests(rows: readonly (readonly [name: string, request: string])[]): GoldenCase[] {
  return rows.map(([name, request]) => ({ name, args: ['routes', 'gateway.yaml', '--test', request] }))
}

function callsFor(name: string): GoldenCase[] {
  // Without waiting, so that the outcome itself is shown.
  const args = ['call', 'POST', `/outcomes/${name}`, '--no-wait', ...correlated]
  return [
    { name: `call-${name}`, calls: true, args },
    { name: `call-${name}-json`, calls: true, args: [...args, '--json'] },
  ]
}

/** The golden files of runs in a separate process (`tests/cli/golden-processes.test.ts`). */
export const processNames = ['start', 'start-port-taken', 'start-terminal', 'dev', 'token'] as const
