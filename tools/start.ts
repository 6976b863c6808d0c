import { readRooms } from './room-tables.ts'

const rooms = readRooms(process.cwd())
const width = Math.max(...rooms.map(({ folder }) => folder.length))
const list = rooms.map(({ folder, purpose }) => `  ${folder.padEnd(width)}  ${purpose}`).join('\n')

process.stdout.write(`Agentic REST, running on Node ${process.version}.
There is no stack to start yet. What is there:
${list}
Start a gateway of your own with \`npx agentic start -c docs/examples/minimal-gateway.yaml\`.
docs/configuration.md tells what goes into such a file, docs/examples has more of them.
Run \`npm test\` for the tests and \`npm run check\` for types, lint and repository checks.
`)
