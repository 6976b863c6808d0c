import { type Fault, lineAt } from '../fault.ts'
import { listSources } from '../repo-files.ts'
import { readSource, type SourceFile, visitNodes } from '../source-file.ts'

/** No package uses `export *`: its public names are listed one by one. */
export function noExportStar(root: string): Fault[] {
  return listSources(root, ['packages', 'examples']).flatMap((path) => starsIn(readSource(root, path)))
}

function starsIn(source: SourceFile): Fault[] {
  const faults: Fault[] = []
  visitNodes(source.program, function collectStar(node) {
    if (node.type !== 'ExportAllDeclaration') return
    const line = lineAt(source.text, node.start)
    faults.push({ path: source.path, line, message: '`export *` hides what is public: name the exports' })
  })
  return faults
}
