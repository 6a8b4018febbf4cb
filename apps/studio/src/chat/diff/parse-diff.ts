/** One line of a diff. */
export interface DiffLine {
  readonly kind: 'add' | 'remove' | 'keep' | 'note'
  readonly text: string
  /** Its number before the change and after it, where it has one. */
  readonly before: number | undefined
  readonly after: number | undefined
}

/** A place that changes. */
export interface DiffHunk {
  readonly header: string
  readonly lines: readonly DiffLine[]
}

/** What changes in one file. */
export interface DiffFile {
  /** Its path, empty where the diff has none. */
  readonly path: string
  readonly hunks: readonly DiffHunk[]
  readonly added: number
  readonly removed: number
}

const hunkHeader = /^@@(?: -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@)?/
const kinds: Readonly<Record<string, DiffLine['kind']>> = {
  '+': 'add',
  '-': 'remove',
  '\\': 'note',
}

/** Tells whether a text is a unified diff: it has a hunk with a change in it. */
export function isDiff(text: string): boolean {
  return /^@@.*\n(?:[ \\].*\n|\n)*[+-]/m.test(text)
}

/** Reads a unified diff; lines that belong to none of its hunks are left out. */
export function parseDiff(text: string): readonly DiffFile[] {
  const files: FileDraft[] = []
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  for (const [index, line] of lines.entries()) {
    const file = files.at(-1)
    const isPath = line.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ') === true
    if (isPath) files.push(new FileDraft(readPath(line, lines[index + 1] ?? '')))
    else if (line.startsWith('diff --git ')) file?.close()
    else if (line.startsWith('+++ ') && file?.isEmpty === true) continue
    else if (hunkHeader.test(line)) (file ?? addTo(files)).open(line)
    else file?.take(line)
  }
  return files.map((file) => file.finish()).filter(({ hunks }) => hunks.length > 0)
}

function addTo(files: FileDraft[]): FileDraft {
  const file = new FileDraft('')
  files.push(file)
  return file
}

/** A file that is removed has no path after the change. */
function readPath(before: string, after: string): string {
  const path = after.slice(4) === '/dev/null' ? before.slice(4) : after.slice(4)
  return path.replace(/\t.*$/, '').replace(/^[ab]\//, '')
}

class FileDraft {
  readonly #path: string
  readonly #hunks: { header: string; lines: DiffLine[] }[] = []
  #before: number | undefined
  #after: number | undefined
  #isClosed = false

  constructor(path: string) {
    this.#path = path
  }

  get isEmpty(): boolean {
    return this.#hunks.length === 0
  }

  open(header: string): void {
    const [, before, after] = hunkHeader.exec(header) ?? []
    this.#before = before === undefined ? undefined : Number(before)
    this.#after = after === undefined ? undefined : Number(after)
    this.#hunks.push({ header, lines: [] })
    this.#isClosed = false
  }

  close(): void {
    this.#isClosed = true
  }

  take(line: string): void {
    const hunk = this.#isClosed ? undefined : this.#hunks.at(-1)
    if (!hunk) return
    const kind = kinds[line.charAt(0)] ?? 'keep'
    const isBefore = kind === 'keep' || kind === 'remove'
    const isAfter = kind === 'keep' || kind === 'add'
    hunk.lines.push({
      kind,
      text: line.slice(1),
      before: isBefore ? this.#before : undefined,
      after: isAfter ? this.#after : undefined,
    })
    if (isBefore && this.#before !== undefined) this.#before++
    if (isAfter && this.#after !== undefined) this.#after++
  }

  finish(): DiffFile {
    const lines = this.#hunks.flatMap((hunk) => hunk.lines)
    const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
    return {
      path: this.#path,
      hunks: this.#hunks,
      added: count('add'),
      removed: count('remove'),
    }
  }
}
