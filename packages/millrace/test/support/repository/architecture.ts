import { posix } from 'node:path'
import { type ModuleFacts, readModule } from './read-module.ts'

/** The rules in ARCHITECTURE.md. */
interface Rules {
  /** Folder of `src` → the folders it may import. */
  readonly folders: ReadonlyMap<string, ReadonlySet<string>>
  /** Package, or `node:` for modules and globals of Node → the folders that may use it. */
  readonly packages: ReadonlyMap<string, ReadonlySet<string>>
}

/** The files of a repository for the checks; paths are relative to its root. */
interface Repository {
  readonly document: string
  readonly files: ReadonlyMap<string, string>
  readonly packageExports: Readonly<Record<string, string>>
}

const SRC = 'packages/millrace/src/'
/** The folder of the API for users: a file for each subpath of `exports`. */
const PUBLIC = 'public'
const nodeGlobals = ['Buffer', 'process', '__dirname', '__filename', 'require', 'global']

/** Reads the table of ARCHITECTURE.md with these two heads, a row as its name and a list. */
export function readTable(document: string, head: readonly [string, string]): [string, string[]][] {
  const rows = document
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  const start = rows.findIndex((cells) => cells[1] === head[0] && cells[2] === head[1])
  if (start === -1) throw new Error(`ARCHITECTURE.md has no table "${head.join(' | ')}"`)
  const end = rows.findIndex((cells, index) => index > start && cells.length < 4)
  return rows
    .slice(start + 2, end === -1 ? undefined : end)
    .map((cells) => [cells[1] ?? '', (cells[2] ?? '').split(',').map((name) => name.trim())])
}

/** Reads the two tables of ARCHITECTURE.md. */
function readRules(document: string): Rules {
  const rows = readTable(document, ['folder', 'may import'])
  const names = rows.map(([name]) => name)
  const allowed = ([name, list]: [string, string[]]): [string, Set<string>] => {
    if (list[0] === 'anything')
      return [name, new Set(names.filter((other) => other !== name && other !== PUBLIC))]
    return [name, new Set(list.filter((other) => other !== '–'))]
  }
  return {
    folders: new Map(rows.map(allowed)),
    packages: new Map(
      readTable(document, ['package', 'only in']).map(([name, list]) => [name, new Set(list)]),
    ),
  }
}

const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path) || !path.includes('/src/')

/** Returns the row of a source file: the longest that names one of its folders. */
function folderOf(path: string, rules: Rules): string {
  const inside = path.slice(SRC.length)
  if (!inside.includes('/')) return inside
  const owners = [...rules.folders.keys()].filter((name) => inside.startsWith(`${name}/`))
  return owners.sort((a, b) => b.length - a.length)[0] ?? inside.slice(0, inside.indexOf('/'))
}

function doorOf(folder: string): string {
  return `${SRC}${folder}/index.ts`
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return 'node:'
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

/** Follows every path through a graph and returns the first cycle, as its nodes in order. */
export function findCycle(
  graph: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] | undefined {
  const done = new Set<string>()
  const visit = (node: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return undefined
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next, [...path, node])
      if (cycle) return cycle
    }
    done.add(node)
    return undefined
  }
  for (const node of graph.keys()) {
    const cycle = visit(node, [])
    if (cycle) return cycle
  }
  return undefined
}

interface Source {
  readonly path: string
  readonly folder: string
  readonly facts: ModuleFacts
}

/** Checks an import of a file of ours by its target. */
function* checkInner({ path, folder }: Source, target: string, rules: Rules): Generator<string> {
  if (!target.startsWith(SRC)) return yield `${path} leaves src: ${target}`
  const other = folderOf(target, rules)
  if (other === PUBLIC) return yield `${path} imports ${PUBLIC}, which is for users only`
  if (other === folder) return
  if (!rules.folders.get(folder)?.has(other)) yield `${path}: ${folder} may not import ${other}`
  // The API re-exports each name from the file that declares it, so that no index repeats its list.
  if (folder !== PUBLIC && target !== doorOf(other))
    yield `${path} enters ${other} past its door: ${target}`
}

function* checkOuter({ path, folder }: Source, specifier: string, rules: Rules): Generator<string> {
  const name = packageOf(specifier)
  const users = rules.packages.get(name)
  if (!users) yield `${path} imports ${specifier}, which no row of the package table allows`
  else if (!users.has(folder)) yield `${path}: ${folder} may not import ${name}`
}

function* checkSource(source: Source, rules: Rules): Generator<string> {
  const { path, folder, facts } = source
  for (const specifier of facts.imports) {
    if (!specifier.startsWith('.')) yield* checkOuter(source, specifier, rules)
    else yield* checkInner(source, posix.join(posix.dirname(path), specifier), rules)
  }
  if (!rules.packages.get('node:')?.has(folder)) {
    for (const name of nodeGlobals.filter((global) => facts.identifiers.has(global))) {
      yield `${path} uses ${name}, which only Node has`
    }
  }
  if (facts.starExports.length > 0) yield `${path} hides its exports behind export *`
}

/** Workspaces whose sources import nothing of the repository by path. */
const closed = ['apps/studio/', 'bench/', 'packages/tools/']

/** Checks the targets of imports by path: tests may import any file of the repository, other files none of the library. */
function* checkBounds(path: string, facts: ModuleFacts): Generator<string> {
  const bound = isTest(path) ? '' : (closed.find((folder) => path.startsWith(folder)) ?? '')
  const isOutside = !path.startsWith('packages/millrace/') && !/\.test\.\w+$/.test(path)
  for (const specifier of facts.imports.filter((name) => name.startsWith('.'))) {
    const target = posix.join(posix.dirname(path), specifier)
    if (target.startsWith('..') || !target.startsWith(bound))
      yield `${path} leaves ${bound || 'the repository'}: ${specifier}`
    if (isOutside && target.startsWith(SRC)) yield `${path} enters the library past its exports`
  }
}

function* checkTable(rules: Rules, files: ReadonlyMap<string, string>): Generator<string> {
  const present = new Set(
    [...files.keys()].filter((path) => path.startsWith(SRC)).map((path) => folderOf(path, rules)),
  )
  for (const folder of present) {
    if (!rules.folders.has(folder)) yield `src/${folder} has no row in ARCHITECTURE.md`
  }
  for (const [folder, imports] of rules.folders) {
    if (!present.has(folder)) yield `the row ${folder} has no folder`
    for (const other of imports) {
      if (!rules.folders.has(other)) yield `the row ${folder} allows ${other}, which has no row`
    }
  }
  const cycle = findCycle(rules.folders)
  if (cycle) yield `the table has a cycle: ${cycle.join(' → ')}`
}

/** Every subpath is one file of `public`, and every file of `public` is a subpath. */
function* checkExports(
  packageExports: Readonly<Record<string, string>>,
  files: ReadonlyMap<string, string>,
): Generator<string> {
  const subpaths = Object.keys(packageExports).filter((subpath) => subpath !== './package.json')
  const doors = new Set(
    subpaths.map((subpath) => `${SRC}${PUBLIC}/${subpath === '.' ? 'index' : subpath.slice(2)}.ts`),
  )
  for (const door of doors) {
    if (!files.has(door)) yield `${door} is missing, which exports of package.json names`
  }
  for (const path of files.keys()) {
    if (path.startsWith(`${SRC}${PUBLIC}/`) && !doors.has(path))
      yield `${path} is not in exports of package.json`
  }
}

function findEdgeCycle(sources: readonly Source[], rules: Rules): readonly string[] | undefined {
  const edges = new Map<string, Set<string>>()
  for (const { path, folder, facts } of sources) {
    const targets = facts.imports
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => folderOf(posix.join(posix.dirname(path), specifier), rules))
    edges.set(
      folder,
      new Set([...(edges.get(folder) ?? []), ...targets.filter((name) => name !== folder)]),
    )
  }
  return findCycle(edges)
}

const MAX_FILES = 20

/**
 * Lists folders of a package's `src` with more than 20 source files, without tests and sub-folders. `known` has folders that may exceed the
 * bound, with the number of files that each may have; an unnecessary row is a problem too.
 */
export function checkFolderSizes(
  paths: Iterable<string>,
  known: Readonly<Record<string, number>>,
): readonly string[] {
  const sizes = new Map<string, number>()
  for (const path of paths) {
    if (!path.includes('/src/') || isTest(path)) continue
    const folder = posix.dirname(path.slice(path.indexOf('/src/') + '/src/'.length))
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1)
  }
  const large = [...sizes]
    .filter(([folder, size]) => size > (known[folder] ?? MAX_FILES))
    .map(
      ([folder, size]) =>
        `src/${folder} has ${size} files, at most ${known[folder] ?? MAX_FILES} are allowed`,
    )
  const settled = Object.keys(known)
    .filter((folder) => (sizes.get(folder) ?? 0) <= MAX_FILES)
    .map((folder) => `src/${folder} has at most ${MAX_FILES} files: remove it from the list`)
  return [...large, ...settled]
}

/** Lists everything in a repository that ARCHITECTURE.md does not allow. */
export function checkArchitecture({
  document,
  files,
  packageExports,
}: Repository): readonly string[] {
  const rules = readRules(document)
  const modules = [...files].map(([path, text]) => ({ path, facts: readModule(path, text) }))
  const sources = modules
    .filter(({ path }) => path.startsWith(SRC) && !isTest(path))
    .map((module) => ({ ...module, folder: folderOf(module.path, rules) }))
  const cycle = findEdgeCycle(sources, rules)
  return [
    ...checkTable(rules, files),
    ...checkExports(packageExports, files),
    ...sources.flatMap((source) => [...checkSource(source, rules)]),
    ...modules.flatMap(({ path, facts }) => [...checkBounds(path, facts)]),
    ...(cycle ? [`the folders form a cycle: ${cycle.join(' → ')}`] : []),
  ]
}
