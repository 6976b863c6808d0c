import { type Fields, fieldsOf, isTrue, listOf, numberOf, textOf, textOrNull, textsOf } from './read-json.ts'

/** A person of the development identity provider. */
export interface Person {
  readonly sub: string
  readonly tenant: string
  readonly roles: readonly string[]
}

/** The signed-in person. */
export interface User {
  readonly subject: string
  readonly name: string
}

/** The result of the last reload. */
export interface Reload {
  readonly at: string
  readonly result: string
  readonly faults: readonly string[]
}

/** Information about the gateway. */
export interface GatewayInfo {
  readonly version: string
  readonly profile: string
  readonly startedAt: string
  readonly gatewayUrl: string
  readonly development: boolean
  readonly people: readonly Person[]
  /** Null in development, which has no sign-in. */
  readonly user: User | null
  readonly streamLimit: number
  readonly configuration: {
    readonly file: string
    readonly loadedAt: string
    readonly warnings: readonly string[]
    readonly lastReload: Reload | null
  }
}

/** Reads the answer of `/api/gateway`. */
export function readGatewayInfo(value: unknown): GatewayInfo {
  const fields = fieldsOf(value)
  const configuration = fieldsOf(fields.get('configuration'))
  const reload = configuration.get('lastReload')
  return {
    version: textOf(fields, 'version'),
    profile: textOf(fields, 'profile'),
    startedAt: textOf(fields, 'startedAt'),
    gatewayUrl: textOf(fields, 'gatewayUrl'),
    development: isTrue(fields, 'development'),
    people: listOf(fields, 'people', readPerson),
    user: readUser(fieldsOf(fields.get('user'))),
    streamLimit: numberOf(fields, 'streamLimit'),
    configuration: {
      file: textOf(configuration, 'file'),
      loadedAt: textOf(configuration, 'loadedAt'),
      warnings: textsOf(configuration, 'warnings'),
      lastReload: reload === null || reload === undefined ? null : readReload(reload),
    },
  }
}

function readPerson(value: unknown): Person {
  const fields = fieldsOf(value)
  return { sub: textOf(fields, 'sub'), tenant: textOf(fields, 'tenant'), roles: textsOf(fields, 'roles') }
}

function readUser(fields: Fields): User | null {
  const subject = textOf(fields, 'subject')
  return subject === '' ? null : { subject, name: textOf(fields, 'name', subject) }
}

function readReload(value: unknown): Reload {
  const fields = fieldsOf(value)
  return {
    at: textOf(fields, 'at'),
    result: textOrNull(fields, 'result') ?? 'unknown',
    faults: textsOf(fields, 'faults'),
  }
}
