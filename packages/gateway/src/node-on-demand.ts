/** HTTP/2 of Node, with the parts of `node:http` below it: 30 ms and 5 MB, for a listener with TLS only. */
export function loadHttp2() {
  return process.getBuiltinModule('node:http2')
}

/** Compression of Node, for compressed answers of services and for sessions of the approvals page. */
export function loadZlib() {
  return process.getBuiltinModule('node:zlib')
}
