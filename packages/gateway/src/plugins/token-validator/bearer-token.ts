// RFC 9110, section 11.4: the scheme in any case, at least one space, the credential. Only spaces separate, not tabs.
const BEARER = /^bearer +([^ ].*)$/is

/** The credential of an `Authorization` header, or `undefined` when there is none or it is of another scheme. */
export function readBearerToken(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]
}
