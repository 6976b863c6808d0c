export { DatabaseError } from './databases.ts'
export { type Greeting, greet } from './greeting.ts'
export { PartFailedError } from './part-process.ts'
export {
  DEFAULT_PORT_BASE,
  MAX_PORT_BASE,
  type PartName,
  type PortBase,
  portOf,
  readPortBase,
  urlOf,
  urlVariables,
} from './parts.ts'
export { PEOPLE_FILE, type PeopleResult, peopleBeside } from './people.ts'
export { GatewayFileError } from './plan-stack.ts'
export { findFreeBase, PortsTakenError, type WantedPort } from './ports.ts'
export { firstPerson, requestToken, TokenError, type WantedToken } from './request-token.ts'
export { DataInUseError, type RunningPart, type Stack, type StackOptions, startStack } from './start-stack.ts'
export { npmCommand, npmScriptOf, runningScript, type Script, typedCommand } from './typed-command.ts'
