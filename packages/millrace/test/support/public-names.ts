import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseSync } from 'vite'

/** A name that a module exports. */
export interface ExportedName {
  readonly name: string
  readonly isType: boolean
  /** The file and name of its declaration; undefined if it comes from another package. */
  readonly place?: string | undefined
  /** Whether its declaration has a doc comment. */
  readonly hasComment: boolean
}

const known = new Map<string, readonly ExportedName[]>()

/** Lists the exports of a source file, each followed to its declaration. */
export function listExports(path: string): readonly ExportedName[] {
  const found = known.get(path) ?? readExports(path)
  known.set(path, found)
  return found
}

function readExports(path: string): readonly ExportedName[] {
  const text = readFileSync(path, 'utf8')
  const { program, module, comments } = parseSync(path, text)
  const ends = new Set(comments.filter(({ value }) => value.startsWith('*')).map(({ end }) => end))
  /** Whether a doc comment ends where a statement begins. */
  const isDocumented = (start: number): boolean => ends.has(text.slice(0, start).trimEnd().length)
  const documented = new Set(
    program.body
      .filter((statement) => isDocumented(statement.start))
      .flatMap((statement) => namesOf(statement)),
  )
  const imported = new Map(
    module.staticImports.flatMap(({ moduleRequest, entries }) =>
      entries.map((entry) => [
        entry.localName.value,
        { from: moduleRequest.value, name: entry.importName.name },
      ]),
    ),
  )
  const follow = (from: string, name: string | null | undefined): ExportedName | undefined =>
    from.startsWith('.')
      ? listExports(resolve(dirname(path), from)).find((one) => one.name === name)
      : undefined
  return module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ exportName, localName, importName, moduleRequest, isType }) => {
      const { name } = exportName
      if (typeof name !== 'string') return []
      const local = localName.name ?? name
      const source = imported.get(local)
      const behind = moduleRequest
        ? follow(moduleRequest.value, importName.name)
        : source && follow(source.from, source.name)
      if (behind) return [{ ...behind, name, isType: isType || behind.isType }]
      const isForeign = moduleRequest !== null || source !== undefined
      const place = isForeign ? undefined : `${path}#${local}`
      return [{ name, isType, place, hasComment: isForeign || documented.has(local) }]
    })
}

interface Declared {
  readonly declaration?: Declared | null
  readonly declarations?: readonly Declared[]
  readonly id?: { readonly name?: string } | null
}

/** Returns the names that a statement declares. */
function namesOf(statement: object): readonly string[] {
  const { declaration, declarations, id } = statement as Declared
  if (declaration) return namesOf(declaration)
  return (declarations ?? [{ id: id ?? null }]).flatMap((one) => one.id?.name ?? [])
}
