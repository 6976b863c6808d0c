import { allowedLicences } from './checks/third-party.ts'
import { codeText, markdownTable } from './generated.ts'
import { productionPackages, readLock } from './locked-packages.ts'

/** The packages of others that come with ours, with their versions and licences. */
export function licencesTable(root: string): string {
  const rows = productionPackages(readLock(root)).map(({ name, version, licence }) => [
    codeText(name),
    version,
    licence ?? 'unknown',
  ])
  // A package may be there several times, at different places and in the same version.
  const different = [...new Map(rows.map((row) => [row.join(' '), row])).values()]
  return markdownTable(['Package', 'Version', 'Licence'], different)
}

/** The licences that the check lets through. */
export function allowedLicencesText(): string {
  return allowedLicences.map(codeText).join(', ')
}
