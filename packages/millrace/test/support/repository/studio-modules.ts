import { posix } from 'node:path'
import { findCycle, readTable } from './architecture.ts'
import { readModule } from './read-module.ts'

/** The sources of Studio, with paths relative to the repository, and the document with its table. */
interface StudioSources {
  readonly document: string
  readonly files: ReadonlyMap<string, string>
}

const SRC = 'apps/studio/src/'
/** The page's entry, which belongs to no module. */
const ENTRY = `${SRC}main.tsx`
const DOOR = 'index.ts'
/** The maximum number of files in a folder, with tests, style sheets and the index. */
const MAX_FILES = 20

type Modules = ReadonlyMap<string, ReadonlySet<string>>

function readModules(document: string): Modules {
  const rows = readTable(document, ['module', 'may import'])
  return new Map(
    rows.map(([module, list]) => [module, new Set(list.filter((name) => name !== '–'))]),
  )
}

const moduleOf = (path: string): string => posix.dirname(path.slice(SRC.length))
const isSource = (path: string): boolean => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path)

function* checkRows(modules: Modules, present: ReadonlySet<string>): Generator<string> {
  for (const module of present)
    if (!modules.has(module)) yield `${module} has no row in ARCHITECTURE.md`
  for (const [module, allowed] of modules) {
    if (!present.has(module)) yield `the row ${module} has no folder`
    for (const other of allowed) {
      if (!modules.has(other)) yield `the row ${module} allows ${other}, which has no row`
    }
  }
  const cycle = findCycle(modules)
  if (cycle) yield `the modules form a cycle: ${cycle.join(' → ')}`
}

function* checkModule(path: string, text: string, modules: Modules): Generator<string> {
  const { imports, starExports } = readModule(path, text)
  const module = moduleOf(path)
  if (starExports.length > 0) yield `${path} hides its exports behind export *`
  for (const specifier of imports.filter((name) => /^\..*\.tsx?$/.test(name))) {
    const target = posix.join(posix.dirname(path), specifier)
    const other = moduleOf(target)
    if (other === module) continue
    if (path !== ENTRY && !modules.get(module)?.has(other))
      yield `${path}: ${module} may not import ${other}`
    if (posix.basename(target) !== DOOR)
      yield `${path} enters ${other} past its index.ts: ${target}`
  }
}

function* checkSizes(paths: readonly string[]): Generator<string> {
  const counts = new Map<string, number>()
  for (const path of paths) counts.set(moduleOf(path), (counts.get(moduleOf(path)) ?? 0) + 1)
  for (const [folder, count] of counts) {
    if (count > MAX_FILES) yield `${folder} has ${count} files, more than ${MAX_FILES}`
  }
}

/** Lists everything in the sources of Studio that its table in ARCHITECTURE.md does not allow. */
export function checkStudioModules({ document, files }: StudioSources): readonly string[] {
  const modules = readModules(document)
  const sources = [...files].filter(([path]) => isSource(path))
  const present = new Set(
    sources.filter(([path]) => path !== ENTRY).map(([path]) => moduleOf(path)),
  )
  return [
    ...checkRows(modules, present),
    ...sources.flatMap(([path, text]) => [...checkModule(path, text, modules)]),
    ...checkSizes([...files.keys()]),
  ]
}
