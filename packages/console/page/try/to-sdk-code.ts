import type { ClientRequest } from '@agentic-rest/client'

interface Call {
  readonly baseUrl: string
  readonly request: ClientRequest
  readonly isStream: boolean
}

/** A program that sends the same request with the client package. The token comes from the environment. */
export function toSdkCode({ baseUrl, request, isStream }: Call): string {
  const options = literal(request, 0)
  const lines = [
    "import { createClient } from '@agentic-rest/client'",
    '',
    'const client = createClient({',
    `  baseUrl: ${text(baseUrl)},`,
    "  token: process.env['TOKEN'],",
    '})',
    '',
    ...(isStream ? streamCall(options) : runCall(options)),
  ]
  return `${lines.join('\n')}\n`
}

function streamCall(options: string): string[] {
  return [`for await (const { data } of client.stream(${options})) {`, '  console.log(data)', '}']
}

function runCall(options: string): string[] {
  return [
    `const outcome = await client.run(${options}, {`,
    '  // Give the inputs that the service asks for, or nothing to stop there.',
    '  onClarification: ({ requiredInputs }) => void console.log(requiredInputs),',
    '  // True to wait until somebody has approved.',
    '  onApproval: ({ message, approver }) => {',
    '    console.log(message, approver)',
    '    return true',
    '  },',
    '  onProgress: ({ status, progress }) => console.log(status, progress),',
    '})',
    'console.log(outcome.type, outcome)',
  ]
}

/** A value as code. Keys stand without quotes where they can. */
function literal(value: unknown, depth: number): string {
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, depth)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  if (entries.length === 0) return '{}'
  const indent = '  '.repeat(depth + 1)
  const members = entries.map(([name, member]) => `${indent}${key(name)}: ${literal(member, depth + 1)},\n`)
  return `{\n${members.join('')}${'  '.repeat(depth)}}`
}

function key(name: string): string {
  // A plain `__proto__` in code would set the prototype in place of a member.
  if (name === '__proto__') return '["__proto__"]'
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : text(name)
}

// Single quotes, as the rest of the program; what JSON escapes stays escaped.
function text(value: string): string {
  const inner = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner}'`
}
