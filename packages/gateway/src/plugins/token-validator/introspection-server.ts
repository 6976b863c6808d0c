import type { IssuerOptions } from '../../config/config-schema.ts'

/** The server of an issuer, and the gateway's own credentials there. */
export interface IntrospectionServer {
  readonly url: string
  /** The value of the `Authorization` header. */
  readonly authorization: string
}

/** The credentials of the gateway; both parts are form-encoded (RFC 6749, section 2.3.1). */
export function serverOf(
  { url, client_id }: NonNullable<IssuerOptions['introspection']>,
  clientSecret: string,
): IntrospectionServer {
  const credentials = `${formEncode(client_id)}:${formEncode(clientSecret)}`
  return { url, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}

function formEncode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}
