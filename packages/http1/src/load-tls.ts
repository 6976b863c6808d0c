/** TLS of Node. It is loaded when the first `https:` address or certificate needs it: most processes never do. */
export function loadTls() {
  return process.getBuiltinModule('node:tls')
}
