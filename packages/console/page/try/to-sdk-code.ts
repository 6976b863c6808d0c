import type { ClientRequest } from '@agentic-rest/client'

interface Call {
  readonly baseUrl: string
  readonly request: ClientRequest
  readonly isStream: boolean
  readonly endsTyped: boolean
}

/** The request as a program with the client package. The token comes from the environment. */
export function toSdkCode({ baseUrl, request, isStream, endsTyped }: Call): string {
  const options = literal(request, 0)
  const lines = [
    "import { createClient } from '@agentic-rest/client'",
    '',
    'const client = createClient({',
    `  baseUrl: ${text(baseUrl)},`,
    "  token: process.env['TOKEN'],",
    '})',
    '',
    ...(isStream && !endsTyped ? streamCall(options) : runCall(options, isStream)),
  ]
  return `${lines.join('\n')}\n`
}

function streamCall(options: string): string[] {
  return [`for await (const { data } of client.stream(${options})) {`, '  console.log(data)', '}']
}

function runCall(options: string, isStream: boolean): string[] {
  return [
    `const outcome = await client.run(${options}, {`,
    ...(isStream ? ['  onEvent: ({ data }) => console.log(data),'] : []),
    '  // Return the requested inputs, or nothing to stop.',
    '  onClarification: ({ requiredInputs }) => void console.log(requiredInputs),',
    '  // Return true to wait for the approval.',
    '  onApproval: ({ message, approver }) => {',
    '    console.log(message, approver)',
    '    return true',
    '  },',
    '  onProgress: ({ status, progress }) => console.log(status, progress),',
    '})',
    'console.log(outcome.type, outcome)',
  ]
}

/** A value as code, without quotes around simple keys. */
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
  // A plain `__proto__` in code would set the prototype instead of a member.
  if (name === '__proto__') return '["__proto__"]'
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : text(name)
}

// Single quotes, as in the rest of the program, with the escapes of JSON.
function text(value: string): string {
  const inner = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner}'`
}
