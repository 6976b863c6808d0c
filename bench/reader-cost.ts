import { createRequire } from 'node:module'
import { RequestReader } from '../packages/http1/src/server/request-reader.ts'

// Measures the CPU time of reading one request: with the gateway's reader, and with llhttp as WebAssembly (the build of
// undici), which hands over the same parts. `node --conditions=agentic-source bench/reader-cost.ts`

const ROUNDS = 9
const REQUESTS = 200_000

const head = [
  'Host: gateway.example:8080',
  `Authorization: Bearer ${'x'.repeat(620)}`,
  'Accept: application/json',
  'X-Tenant-ID: acme',
  'X-Correlation-ID: 0196d3a2-77b3-4da6-a3ce-929d0e0e4736',
  'User-Agent: client/1.0',
].join('\r\n')
const get = Buffer.from(`GET /campaigns/c-1/optimizations?limit=5 HTTP/1.1\r\n${head}\r\n\r\n`)
const body = JSON.stringify({ goal: 'x'.repeat(180) })
const post = Buffer.from(
  `POST /campaigns/c-1/optimizations HTTP/1.1\r\n${head}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
)

type Read = (bytes: Buffer) => void

function gatewayReader(): Read {
  const state = { complete: 0, size: 0 }
  const reader = new RequestReader(
    { maxHeadBytes: 16_384, maxHeaders: 100 },
    {
      onHead({ rawHeaders }) {
        state.size += rawHeaders.length
      },
      onBody(bytes) {
        state.size += bytes.length
      },
      onComplete() {
        state.complete += 1
      },
    },
  )
  return (bytes) => {
    const before = state.complete
    for (let at = 0; at < bytes.length; ) at = reader.read(bytes, at)
    if (state.complete !== before + 1) throw new Error('the request was not read')
  }
}

/** The functions of the module that are used here. */
interface Llhttp {
  readonly memory: { readonly buffer: ArrayBuffer }
  _initialize(): void
  malloc(size: number): number
  llhttp_alloc(type: number): number
  llhttp_execute(parser: number, at: number, length: number): number
}

interface WebAssemblyApi {
  compile(source: Uint8Array): Promise<object>
  instantiate(module: object, imports: object): Promise<{ readonly exports: object }>
}

// The types of Node leave it out.
const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }
const REQUEST = 1

async function wasmReader(): Promise<Read> {
  const bytes: Buffer = get
  const state = { complete: 0, size: 0, url: '', headers: [] as string[], at: 0, bytes }
  const text = (at: number, length: number) =>
    state.bytes.toString('latin1', at - state.at, at - state.at + length)
  const env = {
    wasm_on_message_begin: () => 0,
    wasm_on_url(_parser: number, at: number, length: number) {
      state.url = text(at, length)
      return 0
    },
    wasm_on_status: () => 0,
    wasm_on_header_field(_parser: number, at: number, length: number) {
      state.headers.push(text(at, length))
      return 0
    },
    wasm_on_header_value(_parser: number, at: number, length: number) {
      state.headers.push(text(at, length))
      return 0
    },
    wasm_on_headers_complete() {
      state.size += state.headers.length
      state.headers = []
      return 0
    },
    wasm_on_body(_parser: number, _at: number, length: number) {
      state.size += length
      return 0
    },
    wasm_on_message_complete() {
      state.complete += 1
      return 0
    },
  }
  const source = createRequire(import.meta.url)('undici/lib/llhttp/llhttp_simd-wasm.js') as Buffer
  const module = await WebAssembly.compile(new Uint8Array(source))
  const wasm = (await WebAssembly.instantiate(module, { env })).exports as unknown as Llhttp
  const parser = wasm.llhttp_alloc(REQUEST)
  state.at = wasm.malloc(65_536)
  const memory = new Uint8Array(wasm.memory.buffer)
  return (bytes) => {
    const before = state.complete
    state.bytes = bytes
    memory.set(bytes, state.at)
    if (wasm.llhttp_execute(parser, state.at, bytes.length) !== 0 || state.complete !== before + 1)
      throw new Error('the request was not read')
  }
}

function microseconds(read: Read, bytes: Buffer): number {
  const start = process.threadCpuUsage()
  for (let count = 0; count < REQUESTS; count += 1) read(bytes)
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / REQUESTS
}

const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

const own = gatewayReader()
const wasm = await wasmReader()
for (const [name, bytes] of [
  ['GET', get],
  ['POST', post],
] as const) {
  const rounds = Array.from({ length: ROUNDS }, () => [microseconds(own, bytes), microseconds(wasm, bytes)])
  const [mine, other] = [0, 1].map((index) => median(rounds.map((round) => round[index] ?? 0)))
  process.stdout.write(
    `${name} of ${bytes.length} bytes: own reader ${mine?.toFixed(2)} µs, llhttp as WebAssembly ${other?.toFixed(2)} µs (medians of ${ROUNDS} rounds)\n`,
  )
}
