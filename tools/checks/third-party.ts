import { type Fault, lineOf } from '../fault.ts'
import { type LockedPackage, productionPackages, readLock } from '../locked-packages.ts'

/** Licences compatible with a program under Apache-2.0, by their SPDX names. */
export const allowedLicences: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Unlicense',
]

/** Packages that work without their install script, and the purpose of the script. */
export const workWithoutScript: Readonly<Record<string, string>> = {
  protobufjs: 'it warns of a version that is written in an unusual way',
}

const lockFile = 'package-lock.json'

/** Third-party packages have an allowed licence and work without an install script. */
export function thirdParty(root: string): Fault[] {
  const lock = readLock(root)
  return productionPackages(lock).flatMap((each) =>
    faultsOf(each).map((message) => ({ path: lockFile, line: lineOf(lock, `"${each.key}"`), message })),
  )
}

function faultsOf({ name, version, licence, hasInstallScript }: LockedPackage): string[] {
  const faults: string[] = []
  if (licence === undefined || !allowedLicences.includes(licence))
    faults.push(
      `${name} ${version} has the licence ${licence ?? 'of nobody knows what'}, which is not allowed`,
    )
  if (hasInstallScript && !Object.hasOwn(workWithoutScript, name))
    faults.push(
      `${name} ${version} has an install script: show that it works without and say so in this check`,
    )
  return faults
}
