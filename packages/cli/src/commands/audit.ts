import { keygen } from '../audit/keygen.ts'
import { prove, verify } from '../audit/log-files.ts'
import { defineCommand } from '../command.ts'
import { exitCodes, type Host } from '../host.ts'

const actions = ['keygen', 'verify', 'prove'] as const

/** `agentic audit keygen | verify | prove`: keys and proofs of sealed audit logs. It needs no running gateway. */
export const audit = defineCommand({
  name: 'audit',
  description:
    'Makes keys for sealed audit logs, verifies logs and proves single records. keygen writes a private key and prints the\n' +
    'verifier key, which auditors need. verify checks that no line was changed, cut, inserted or reordered since the key\n' +
    'signed it; it also checks files of prove. prove prints the proof of a record, which can be given away without the log.\n' +
    'Without --anchor, a log that the holder of the key has rewritten completely is not noticed.',
  operands: [
    { name: 'ACTION', description: 'What to do.', choices: actions },
    {
      name: 'FILE',
      description: 'After verify and prove: the files of one log, in any order.',
      optional: true,
      repeated: true,
    },
  ],
  options: {
    name: {
      type: 'string',
      value: 'NAME',
      description: 'For keygen: the name of the log, for example agents.example.com/audit/7f3c.',
    },
    output: {
      type: 'string',
      short: 'o',
      value: 'FILE',
      description: 'For keygen: the file of the private key. An existing file is never overwritten.',
    },
    key: { type: 'string', value: 'VKEY', description: 'The verifier key that keygen printed.' },
    checkpoints: {
      type: 'string',
      value: 'FILE',
      description: 'The checkpoints of the log; beside its files by default.',
    },
    head: {
      type: 'string',
      value: 'FILE',
      description: 'For verify: the head_file of the log; beside its files by default.',
    },
    anchor: {
      type: 'string',
      value: 'FILE',
      description: 'For verify: the checkpoints that were kept elsewhere.',
    },
    'request-id': { type: 'string', value: 'ID', description: 'For prove: the request of the record.' },
    json: { type: 'boolean', description: 'For verify: prints the result as JSON.' },
  },
  examples: [
    'npx agentic audit keygen --name agents.example.com/audit/7f3c -o audit-key.pem',
    'npx agentic audit verify audit*.jsonl --key agents.example.com/audit/7f3c+5f1a2b3c+AQ...',
    'npx agentic audit verify audit*.jsonl --key VKEY --anchor kept-elsewhere.checkpoints',
    'npx agentic audit prove audit*.jsonl --key VKEY --request-id 0196d3a2 > record.tlog-proof',
  ],
  exitCodes: [
    [exitCodes.ok, 'The key is written, the log is as it was signed, or the proof is printed.'],
    [exitCodes.failed, 'The log is not as it was signed, or the record cannot be proven.'],
    [exitCodes.invalid, 'A file cannot be read or written, or the command line is not valid.'],
  ],
  async run({ values, operands: [action, ...files] }, host) {
    if (action === 'keygen') return keygen({ name: values.name, output: values.output, files }, host)
    const { key, checkpoints, head, anchor, json, 'request-id': requestId } = values
    if (files.length === 0) return refuse(host, `FILE is missing after ${action}`)
    if (key === undefined) return refuse(host, '--key VKEY is missing')
    if (action === 'verify') return await verify({ files, key, checkpoints, head, anchor, json }, host)
    if (requestId === undefined) return refuse(host, '--request-id ID is missing')
    return await prove({ files, key, checkpoints, requestId }, host)
  },
})

function refuse({ stderr }: Host, fault: string): number {
  stderr.write(`agentic audit: ${fault}\n`)
  return exitCodes.invalid
}
