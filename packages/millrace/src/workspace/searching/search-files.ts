import { lstat } from 'node:fs/promises'
import { basename } from 'node:path'
import { badRequest, isMillraceError, type MillraceError } from '../../errors/index.ts'
import { truncateText } from '../truncate-text.ts'
import { explainFailures } from '../paths/explain-failures.ts'
import { withFileAt } from '../paths/open-inside.ts'
import { type ResolvedPath, resolvePath } from '../paths/resolve-path.ts'
import { nonTextReason, readBytes } from '../reading/read-bytes.ts'
import type { Workspace } from '../workspace.ts'
import { compileGlob, compilePattern } from './compile-pattern.ts'
import { findEntries, inGroups, type WalkEntry } from './walk.ts'
import {
  type FoundPiece,
  openPatternWorker,
  type PatternWorker,
  startTimeLimit,
} from './pattern-worker.ts'

/** Number of characters of a long line shown before the match, and in total. */
const SHOWN_BEFORE = 80
const SHOWN_CHARS = 300

interface FileSearch {
  readonly pattern: string
  readonly ignoresCase: boolean
  readonly path: string
  readonly glob: string
  readonly context: number
  readonly limit: number
  readonly all: boolean
  readonly signal: AbortSignal
}

interface Tally {
  searched: number
  /** Number of files that are too large or unreadable. */
  skipped: number
  isCut: boolean
}

/** Number of files read and searched concurrently. */
const GROUP_SIZE = 16
const [LINE_PATTERN, PATH_PATTERN] = [0, 1]

/** Searches files line by line. After a timeout it returns the matches so far. */
export async function searchFiles(workspace: Workspace, search: FileSearch): Promise<string> {
  const { root, limits } = workspace
  const place = await resolvePath(root, search.path)
  const paths = search.glob === '' ? /^/ : compileGlob(search.glob)
  const patterns = [compilePattern(search.pattern, search), paths]
  const report = createMatchReport({ ...search, maxChars: limits.maxOutputChars })
  const tally: Tally = { searched: 0, skipped: 0, isCut: false }
  const time = startTimeLimit(search.signal, limits.searchTimeoutMs)
  const worker = openPatternWorker(patterns, time)
  try {
    const inner = { ...search, signal: time.signal }
    const files = await listFiles(workspace, worker, place, inner, tally)
    for await (const group of inGroups(files, GROUP_SIZE)) {
      await searchGroup(workspace, worker, group, { search: inner, report, tally })
      if (report.isFull) break
    }
  } catch (error) {
    if (!time.isOver) throw error
    if (report.count === 0) throw tooSlow(limits.searchTimeoutMs, tally)
    tally.isCut = true
  } finally {
    time.dispose()
    await worker.close()
  }
  return describe(report, tally, limits.maxOutputChars)
}

async function listFiles(
  workspace: Workspace,
  worker: PatternWorker,
  { path: start, shown }: ResolvedPath,
  { all, signal }: FileSearch,
  tally: Tally,
): Promise<AsyncIterable<WalkEntry> | Iterable<WalkEntry>> {
  const stats = await explainFailures(shown, () => lstat(start))
  if (!stats.isDirectory()) return [{ path: start, relative: basename(start), isLink: false }]
  const onCut = (): void => void (tally.isCut = true)
  return findEntries(workspace, worker, { start, all, signal, onCut, pattern: PATH_PATTERN })
}

async function searchGroup(
  workspace: Workspace,
  worker: PatternWorker,
  group: readonly WalkEntry[],
  { search, report, tally }: { search: FileSearch; report: MatchReport; tally: Tally },
): Promise<void> {
  const files = group.filter(({ isLink }) => !isLink)
  const read = await Promise.all(files.map((file) => readText(workspace, file, search.signal)))
  const texts = read.map((text) => text ?? '')
  const found = await worker.find({
    pattern: LINE_PATTERN,
    texts,
    separator: '\n',
    maxPieceChars: workspace.limits.maxLineChars,
    limit: search.limit - report.count,
  })
  tally.searched += read.filter((text) => text !== undefined).length
  tally.skipped += read.filter((text) => text === undefined).length
  for (const [index, pieces] of found.entries()) {
    if (report.isFull) return
    report.add(workspace.root.show(files[index]?.path ?? ''), texts[index] ?? '', pieces)
  }
}

/** Reads the text of a file. Returns an empty string for a binary file, and undefined if it cannot be searched. */
async function readText(
  { root, limits }: Workspace,
  { path }: WalkEntry,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await withFileAt(root, { path, shown: root.show(path) }, async (file) => {
      const bytes = await readBytes(file, { maxBytes: limits.maxSearchFileBytes, signal })
      return nonTextReason(bytes) === undefined ? new TextDecoder().decode(bytes) : ''
    })
  } catch (error) {
    if (isMillraceError(error)) return undefined
    throw error
  }
}

function describe(
  { text, count, isFull }: MatchReport,
  { searched, skipped, isCut }: Tally,
  maxChars: number,
): string {
  const notes = [
    ...(isFull ? [`ended at ${count} matching lines; narrow the pattern or raise limit`] : []),
    ...(isCut ? ['the search ended early: too many files, or the timeout expired'] : []),
    ...(skipped > 0 ? [`${skipped} files were skipped: too large or unreadable`] : []),
  ]
  const shown = count === 0 ? `No line matches in ${searched} files.` : truncateText(text, maxChars)
  return notes.length === 0 ? shown : `${shown}\n[${notes.join('; ')}]`
}

function tooSlow(timeoutMs: number, { searched }: Tally): MillraceError {
  return badRequest(
    `The search found nothing in ${searched} files and timed out after ${timeoutMs} ms. ` +
      'Search a smaller folder, or use a simpler pattern: one with nested repetition, such as (a+)+, may never end.',
  )
}

type MatchReport = ReturnType<typeof createMatchReport>

interface MatchReportOptions {
  /** Number of lines shown before and after each match. */
  readonly context: number
  readonly limit: number
  readonly maxChars: number
}

/** Creates a report in the format of grep: a heading for each file, "12:" before a match, "12-" before context. */
function createMatchReport({ context, limit, maxChars }: MatchReportOptions) {
  const lines: string[] = []
  let chars = 0
  let count = 0
  const push = (line: string): void => {
    lines.push(line)
    chars += line.length + 1
  }
  return {
    add(shown: string, text: string, found: readonly FoundPiece[]) {
      if (found.length === 0) return
      const all = text.replace(/\n$/, '').split('\n')
      const columns = new Map(found.map(({ piece, column }) => [piece, column]))
      push(lines.length === 0 ? shown : `\n${shown}`)
      let next = 0
      for (const { piece } of found) {
        if (chars > maxChars) return
        const from = Math.max(next, piece - context)
        const last = Math.min(piece + context, all.length - 1)
        if (next > 0 && from > next && context > 0) push('--')
        for (let index = from; index <= last; index++) {
          const column = columns.get(index)
          push(
            `${index + 1}${column === undefined ? '-' : ':'} ${excerpt(all[index] ?? '', column)}`,
          )
          if (column !== undefined) count += 1
        }
        next = Math.max(next, last + 1)
      }
    },
    get count() {
      return count
    },
    /** Whether the limit of matches or characters is reached. */
    get isFull() {
      return count >= limit || chars > maxChars
    },
    get text() {
      return lines.join('\n')
    },
  }
}

function excerpt(line: string, column = 0): string {
  const whole = line.endsWith('\r') ? line.slice(0, -1) : line
  if (whole.length <= SHOWN_CHARS) return whole
  const from = Math.max(0, column - SHOWN_BEFORE)
  const end = from + SHOWN_CHARS
  return `${from > 0 ? '…' : ''}${whole.slice(from, end)}${end < whole.length ? '…' : ''}`
}
