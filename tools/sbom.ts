import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Ended, run } from './packed-packages.ts'

/** The formats of a bill of materials, with their files. */
export const sbomFiles = { cyclonedx: 'sbom.cdx.json', spdx: 'sbom.spdx.json' } as const

/**
 * Writes the bills of materials of the packages installed in a folder. A checkout is not enough: there npm leaves out
 * packages that development needs too.
 */
export function writeSboms(installed: string, destination: string): void {
  for (const [format, file] of Object.entries(sbomFiles)) {
    const { status, output } = describeInstalled(installed, format)
    if (status !== 0) throw new Error(`npm sbom failed:\n${output}`)
    // npm may print warnings about local settings first.
    writeFileSync(join(destination, file), withoutFolders(output.slice(output.indexOf('{')), installed))
  }
}

/** Names of the folders of this machine mean nothing elsewhere: tarballs lie beside the bill of materials. */
function withoutFolders(sbom: string, installed: string): string {
  return sbom
    .replaceAll(/"file:[^"]*\/([^"/]+\.tgz)"/g, '"file:$1"')
    .replaceAll(`"name": "${basename(installed)}"`, '"name": "agentic-rest-release"')
}

function describeInstalled(installed: string, format: string): Ended {
  return run(
    'npm',
    ['sbom', '--loglevel=error', `--sbom-format=${format}`, '--sbom-type=application'],
    installed,
  )
}
