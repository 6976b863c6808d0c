import { patterned } from './field-kinds.ts'

/** The form of a role. Roles travel in one header, joined by commas (decision 16), so no other can ever be had. */
export const ROLE = /^[!-+\x2d-~](?:[ -+\x2d-~]{0,254}[!-+\x2d-~])?$/

/** A role in the file. */
export const role = () =>
  patterned('a role (1 to 256 printable ASCII characters without commas, no blank at either end)', ROLE)
