import { parsePatch, type StructuredPatch, type StructuredPatchHunk } from 'diff'
import { badRequest, type MillraceError } from '../../errors/index.ts'

/** One change of a patch. */
export interface Hunk {
  /** Its number in the patch, from 1. */
  readonly number: number
  /** Its line number in the patch, from 1; undefined if the header has none. */
  readonly start: number | undefined
  /** Context and removed lines, which must be in the file. */
  readonly old: readonly string[]
  readonly steps: readonly HunkStep[]
  /** Whether the text ends without a line end; undefined if the patch does not specify it. */
  readonly endsWithoutNewline: boolean | undefined
}

/** A line that is kept, removed or added. */
interface HunkStep {
  readonly kind: 'keep' | 'remove' | 'add'
  readonly text: string
}

const hunkHeader = /^@@(?: -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@)?/

/** The changes of one file, and whether they create it. */
export interface FilePatch {
  readonly hunks: readonly Hunk[]
  readonly creates: boolean
}

const stepKinds: Readonly<Record<string, HunkStep['kind']>> = {
  ' ': 'keep',
  '-': 'remove',
  '+': 'add',
}

/** Parses a unified diff of one file. Recounts lines if the counts of a header are wrong. */
export function readPatch(patch: string): FilePatch {
  const files = parse(patch.replaceAll('\r\n', '\n'))
  const [file, ...others] = files
  if (others.length > 0) {
    throw invalid(`it changes ${files.length} files; send one patch_file call for each.`)
  }
  if (file === undefined || file.hunks.length === 0) {
    throw invalid('it has no hunk. A hunk starts with a line such as "@@ -3,4 +3,5 @@".')
  }
  if (file.newFileName === '/dev/null') {
    throw invalid('it removes the file, which this tool does not do.')
  }
  return { hunks: file.hunks.map(toHunk), creates: file.oldFileName === '/dev/null' }
}

function parse(patch: string): readonly StructuredPatch[] {
  const [files, problem] = tryParse(patch)
  if (problem === undefined) return files
  const [repaired, rest] = tryParse(repairHunkHeaders(patch))
  if (rest === undefined) return repaired
  throw invalid(rest)
}

function tryParse(patch: string): [StructuredPatch[], string | undefined] {
  try {
    const files = parsePatch(patch).filter(
      ({ hunks, newFileName }) => hunks.length > 0 || newFileName,
    )
    const problem = hasStrayLines(patch, files)
      ? 'some of its lines belong to no hunk. A hunk starts with "@@", its lines with a space, "-" or "+".'
      : undefined
    return [files, problem]
  } catch (error) {
    return [[], error instanceof Error ? `${error.message}.` : 'it cannot be read.']
  }
}

/** Checks for lines outside of hunks. The parser ignores unknown lines, but a partially applied patch is worse than none. */
function hasStrayLines(patch: string, files: readonly StructuredPatch[]): boolean {
  const lines = patch.trimEnd().split('\n')
  const first = lines.findIndex((line) => line.startsWith('@@'))
  if (first === -1 || files.length > 1) return false
  const hunks = files.flatMap((file) => file.hunks)
  const read = hunks.reduce((count, hunk) => count + 1 + hunk.lines.length, 0)
  // An empty line at the end of the last hunk belongs to it, and is trimmed here.
  return lines.length - first > read
}

function toHunk({ oldStart, newStart, lines }: StructuredPatchHunk, index: number): Hunk {
  const steps = lines.filter((line) => !line.startsWith('\\')).map(toStep)
  return {
    number: index + 1,
    start: oldStart === 0 || newStart === 0 ? undefined : oldStart,
    old: steps.filter(({ kind }) => kind !== 'add').map(({ text }) => text),
    steps,
    endsWithoutNewline: readEnd(lines),
  }
}

/** Converts a line to a step. An empty line is context whose leading space was lost. */
function toStep(line: string): HunkStep {
  return { kind: stepKinds[line[0] ?? ' '] ?? 'keep', text: line.slice(1) }
}

/** Reads the marks for a missing line end. The line before a mark determines its side. */
function readEnd(lines: readonly string[]): boolean | undefined {
  const marked = lines.filter((_, index) => lines[index + 1]?.startsWith('\\'))
  if (marked.length === 0) return undefined
  return marked.some((line) => !line.startsWith('-'))
}

function invalid(problem: string): MillraceError {
  return badRequest(`The patch cannot be used: ${problem}`)
}

/** Corrects the line counts of all hunk headers, because models count badly. A header without numbers gets line 0, which no patch has. */
function repairHunkHeaders(patch: string): string {
  const lines = patch.split('\n')
  const repaired: string[] = []
  for (let index = 0; index < lines.length;) {
    const line = lines[index] ?? ''
    index += 1
    if (!line.startsWith('@@')) {
      repaired.push(line)
      continue
    }
    const end = findEnd(lines, index)
    const body = lines.slice(index, end)
    repaired.push(toHeader(line, body), ...body)
    index = end
  }
  return repaired.join('\n')
}

/** Finds the end of a hunk: before the next hunk or file, without trailing empty lines. */
function findEnd(lines: readonly string[], start: number): number {
  let end = start
  while (end < lines.length && !isBoundary(lines, end)) end += 1
  while (end > start && lines[end - 1] === '') end -= 1
  return end
}

function isBoundary(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? ''
  const isFileHeader = line.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ') === true
  return isFileHeader || /^(@@|diff --git |Index: )/.test(line)
}

function toHeader(line: string, body: readonly string[]): string {
  const [, oldStart = '0', newStart = '0'] = hunkHeader.exec(line) ?? []
  const count = (marks: string) => body.filter((text) => marks.includes(text[0] ?? ' ')).length
  return `@@ -${oldStart},${count(' -')} +${newStart},${count(' +')} @@`
}
