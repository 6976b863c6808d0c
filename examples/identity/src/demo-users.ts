/** The claims of a person. */
export interface User {
  readonly tenant: string
  readonly roles: readonly string[]
}

/** The people of the reference stack, by the `sub` of their tokens. */
export const demoUsers: ReadonlyMap<string, User> = new Map([
  ['alice', { tenant: 'acme', roles: ['campaign:optimize'] }],
  ['bob', { tenant: 'acme', roles: [] }],
  ['dave', { tenant: 'acme', roles: ['campaign:approve'] }],
  ['carol', { tenant: 'globex', roles: ['campaign:optimize'] }],
])
