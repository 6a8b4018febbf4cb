import { posix } from 'node:path'
import { findCycle, readTable } from './architecture.ts'
import { readModule } from './read-module.ts'

/** The sources of Studio, with paths relative to the repository, and the document with its table. */
interface StudioSources {
  readonly document: string
  readonly files: ReadonlyMap<string, string>
}

const SRC = 'apps/studio/src/'
/** The page's entry, which belongs to no room. */
const ENTRY = `${SRC}main.tsx`
const DOOR = 'index.ts'
/** The maximum number of files in a folder, with tests, style sheets and the index. */
const MAX_FILES = 20

type Rooms = ReadonlyMap<string, ReadonlySet<string>>

function readRooms(document: string): Rooms {
  const rows = readTable(document, ['room', 'may import'])
  return new Map(rows.map(([room, list]) => [room, new Set(list.filter((name) => name !== '–'))]))
}

const roomOf = (path: string): string => posix.dirname(path.slice(SRC.length))
const isSource = (path: string): boolean => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path)

function* checkRows(rooms: Rooms, present: ReadonlySet<string>): Generator<string> {
  for (const room of present) if (!rooms.has(room)) yield `${room} has no row in ARCHITECTURE.md`
  for (const [room, allowed] of rooms) {
    if (!present.has(room)) yield `the row ${room} has no folder`
    for (const other of allowed) {
      if (!rooms.has(other)) yield `the row ${room} allows ${other}, which has no row`
    }
  }
  const cycle = findCycle(rooms)
  if (cycle) yield `the rooms form a cycle: ${cycle.join(' → ')}`
}

function* checkModule(path: string, text: string, rooms: Rooms): Generator<string> {
  const { imports, starExports } = readModule(path, text)
  const room = roomOf(path)
  if (starExports.length > 0) yield `${path} hides its exports behind export *`
  for (const specifier of imports.filter((name) => /^\..*\.tsx?$/.test(name))) {
    const target = posix.join(posix.dirname(path), specifier)
    const other = roomOf(target)
    if (other === room) continue
    if (path !== ENTRY && !rooms.get(room)?.has(other))
      yield `${path}: ${room} may not import ${other}`
    if (posix.basename(target) !== DOOR)
      yield `${path} enters ${other} past its index.ts: ${target}`
  }
}

function* checkSizes(paths: readonly string[]): Generator<string> {
  const counts = new Map<string, number>()
  for (const path of paths) counts.set(roomOf(path), (counts.get(roomOf(path)) ?? 0) + 1)
  for (const [folder, count] of counts) {
    if (count > MAX_FILES) yield `${folder} has ${count} files, more than ${MAX_FILES}`
  }
}

/** Lists everything in the sources of Studio that its table in ARCHITECTURE.md does not allow. */
export function checkStudioRooms({ document, files }: StudioSources): readonly string[] {
  const rooms = readRooms(document)
  const sources = [...files].filter(([path]) => isSource(path))
  const present = new Set(sources.filter(([path]) => path !== ENTRY).map(([path]) => roomOf(path)))
  return [
    ...checkRows(rooms, present),
    ...sources.flatMap(([path, text]) => [...checkModule(path, text, rooms)]),
    ...checkSizes([...files.keys()]),
  ]
}
