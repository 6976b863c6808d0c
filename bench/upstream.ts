import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@agentic-rest/testing/free-port'
import { cores, type PinnedProcess, startPinned } from './pinned-process.ts'

/** The answers of the service behind all contenders. */
export const upstreamPaths = {
  /** 200 bytes of JSON, to GET. */
  item: '/items/1',
  /** The same body with 201, to POST. */
  created: '/items',
  /** A clarification with the caller's trace. */
  question: '/questions',
  /** A megabyte, to any request. */
  large: '/large',
} as const

const ITEM_BYTES = 200
const MEGABYTE = 1_000_000

/** The service behind all contenders: nginx, because its own cost is small. */
export async function startNginxUpstream(
  nginx: string,
  folder: string,
): Promise<PinnedProcess & { readonly port: number }> {
  const port = await freePort()
  mkdirSync(join(folder, 'static'), { recursive: true })
  writeFileSync(join(folder, 'static/large'), Buffer.alloc(MEGABYTE, 'x'))
  const config = join(folder, 'upstream.conf')
  writeFileSync(config, nginxConfig({ folder, server: upstreamServer(port, folder) }))
  const command = [nginx, '-p', folder, '-c', config, '-e', join(folder, 'upstream-errors.log')]
  return { port, ...(await startPinned({ command, core: cores.load, port })) }
}

/** The frame of a configuration: one process in the foreground, with all files in its folder. */
export function nginxConfig({
  folder,
  server,
}: {
  readonly folder: string
  readonly server: string
}): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `  ${kind}_temp_path ${folder}/${kind};`,
  )
  return `daemon off;
master_process off;
pid ${folder}/nginx-${process.pid}-${Math.abs(hash(server))}.pid;
events { worker_connections 8192; }
http {
${temporary.join('\n')}
  access_log off;
  keepalive_requests 100000000;
  client_max_body_size 16m;
${server}
}
`
}

function hash(text: string): number {
  return [...text].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) | 0, 7)
}

function upstreamServer(port: number, folder: string): string {
  const item = { id: 'item-1', text: '' }
  item.text = 'x'.repeat(ITEM_BYTES - JSON.stringify(item).length)
  const question = {
    type: 'clarification_required',
    code: 'CLARIFICATION_REQUIRED',
    message: 'A goal is needed.',
    requiredInputs: [
      {
        name: 'goal',
        location: 'body',
        type: 'string',
        required: true,
        question: 'Which goal?',
        allowedValues: ['ctr', 'reach'],
      },
    ],
    trace: { correlationId: '$http_x_correlation_id', requestId: '$http_x_request_id' },
  }
  return `  server {
    listen 127.0.0.1:${port};
    root ${folder}/static;
    location = ${upstreamPaths.item} { default_type application/json; return 200 '${JSON.stringify(item)}'; }
    location = ${upstreamPaths.created} { default_type application/json; return 201 '${JSON.stringify(item)}'; }
    location = ${upstreamPaths.question} {
      default_type application/vnd.agentic.clarification+json;
      return 400 '${JSON.stringify(question)}';
    }
    # The whole body is read before the answer begins: who answers earlier, resets some of its clients.
    location = ${upstreamPaths.large} {
      client_body_buffer_size 2m;
      proxy_method GET;
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
      proxy_http_version 1.1;
      proxy_buffers 32 64k;
      proxy_busy_buffers_size 128k;
      proxy_pass http://127.0.0.1:${port}/megabyte;
    }
    location = /megabyte { default_type application/octet-stream; alias ${folder}/static/large; }
    # Routes that only differ in number lead to the same answer.
    location / { default_type application/json; return 200 '${JSON.stringify(item)}'; }
  }`
}
