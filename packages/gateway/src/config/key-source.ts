import type { IssuerOptions } from './config-schema.ts'

/** Where the published keys of an issuer come from: an address, a file, its discovery document, or nowhere. */
export const keySourceOf = ({
  algorithms,
  jwks_uri,
  jwks_file,
  introspection,
}: IssuerOptions): 'address' | 'file' | 'discovery' | 'none' => {
  if (algorithms.every((algorithm) => algorithm === 'HS256')) return 'none'
  if (jwks_uri !== undefined) return 'address'
  if (jwks_file !== undefined) return 'file'
  return introspection === undefined ? 'discovery' : 'none'
}
