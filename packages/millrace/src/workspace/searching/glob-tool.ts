import { lstat } from 'node:fs/promises'
import { defineTool, type Tool } from '../../tools/index.ts'
import { truncateText } from '../truncate-text.ts'
import { needsApproval, type Workspace } from '../workspace.ts'
import { flag, optionalText, text, toInputSchema, whole } from '../parameters.ts'
import { compileGlob } from './compile-pattern.ts'
import { findEntries, inGroups, type WalkEntry } from './walk.ts'
import { openPatternWorker, startTimeLimit } from './pattern-worker.ts'
import { resolveFolder } from '../paths/resolve-path.ts'

const DEFAULT_RESULTS = 50
/** Number of files examined concurrently. */
const GROUP_SIZE = 100

interface GlobSearch {
  readonly pattern: string
  readonly all: boolean
  readonly signal: AbortSignal
  /** The folder, with links resolved. */
  readonly path: string
}

/** Creates the tool that finds files by name. */
export function createGlobTool(workspace: Workspace): Tool {
  const { root, limits } = workspace
  return defineTool({
    name: 'glob',
    description:
      'Finds files of the workspace by a pattern such as "src/**/*.ts" or "*.{md,txt}", those changed last first. ' +
      'A pattern without "/" is for names in any folder. Leaves out .git and node_modules.',
    input: toInputSchema({
      pattern: text('The pattern, relative to the folder that is searched'),
      path: optionalText('The folder to search; the root of the workspace if left out', '.'),
      limit: whole('How many files to give', {
        absent: DEFAULT_RESULTS,
        minimum: 1,
        maximum: limits.maxGlobResults,
      }),
      all: flag('Whether to look into .git and node_modules too'),
    }),
    idempotent: true,
    needsApproval: needsApproval(workspace, 'reads'),
    run: async ({ pattern, path, limit, all }, { signal }) => {
      const place = await resolveFolder(root, path === '' ? '.' : path)
      const { entries, isCut } = await findAll(workspace, { pattern, all, signal, ...place })
      const paths = (await newestFirst(entries)).map((entry) => root.show(entry.path))
      return describe({ paths, limit, isCut, maxChars: limits.maxOutputChars })
    },
  })
}

/** Finds all matching entries. After a timeout it returns the entries so far. */
async function findAll(
  workspace: Workspace,
  { pattern, all, signal, path: start }: GlobSearch,
): Promise<{ entries: readonly WalkEntry[]; isCut: boolean }> {
  const compiled = compileGlob(pattern)
  const time = startTimeLimit(signal, workspace.limits.searchTimeoutMs)
  const worker = openPatternWorker([compiled], time)
  const entries: WalkEntry[] = []
  let isCut = false
  const onCut = (): void => void (isCut = true)
  const search = { start, all, onCut, signal: time.signal, pattern: 0 }
  try {
    for await (const entry of findEntries(workspace, worker, search)) entries.push(entry)
  } catch (error) {
    if (!time.isOver) throw error
    isCut = true
  } finally {
    time.dispose()
    await worker.close()
  }
  return { entries, isCut }
}

async function newestFirst(entries: readonly WalkEntry[]): Promise<WalkEntry[]> {
  const dated: { entry: WalkEntry; time: number }[] = []
  for await (const group of inGroups(entries, GROUP_SIZE)) {
    const times = group.map(async (entry) => ({
      entry,
      time: await lstat(entry.path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    }))
    dated.push(...(await Promise.all(times)))
  }
  return dated.sort((a, b) => b.time - a.time).map(({ entry }) => entry)
}

function describe({
  paths,
  limit,
  isCut,
  maxChars,
}: {
  readonly paths: readonly string[]
  readonly limit: number
  readonly isCut: boolean
  readonly maxChars: number
}): string {
  const surplus = paths.length - limit
  const notes = [
    ...(surplus > 0 ? [`${surplus} more; narrow the pattern or raise limit`] : []),
    ...(isCut ? ['the search ended early: too many files, or the timeout expired'] : []),
  ]
  const list = truncateText(paths.slice(0, limit).join('\n'), maxChars)
  const shown = list === '' ? 'No files match.' : list
  return notes.length === 0 ? shown : `${shown}\n[${notes.join('; ')}]`
}
