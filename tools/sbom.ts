import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Ended, run } from '../tests/packed-packages.ts'

/** The formats of a bill of materials, and the file of each. */
export const sbomFiles = { cyclonedx: 'sbom.cdx.json', spdx: 'sbom.spdx.json' } as const

/**
 * Writes what is installed in a folder as bills of materials. A checkout would not do: npm leaves out there what
 * development needs as well.
 */
export function writeSboms(installed: string, destination: string): void {
  for (const [format, file] of Object.entries(sbomFiles)) {
    const { status, output } = describeInstalled(installed, format)
    if (status !== 0) throw new Error(`npm sbom failed:\n${output}`)
    // npm may warn of settings of the machine before it prints.
    writeFileSync(join(destination, file), output.slice(output.indexOf('{')))
  }
}

function describeInstalled(installed: string, format: string): Ended {
  return run(
    'npm',
    ['sbom', '--loglevel=error', `--sbom-format=${format}`, '--sbom-type=application'],
    installed,
  )
}
