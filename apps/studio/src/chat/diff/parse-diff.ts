/** A line of a diff. */
export interface DiffLine {
  readonly kind: 'add' | 'remove' | 'keep' | 'note'
  readonly text: string
  /** Line numbers before and after the change, where they exist. */
  readonly before: number | undefined
  readonly after: number | undefined
}

/** A hunk of a diff. */
export interface DiffHunk {
  readonly header: string
  readonly lines: readonly DiffLine[]
}

/** The diff of one file. */
export interface DiffFile {
  /** Path of the file; empty without one. */
  readonly path: string
  readonly hunks: readonly DiffHunk[]
  readonly added: number
  readonly removed: number
}

const hunkHeader = /^@@(?: -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@)?/
const kinds: Readonly<Record<string, DiffLine['kind']>> = {
  '+': 'add',
  '-': 'remove',
  ' ': 'keep',
  '': 'keep',
}

/** Reports whether a text is a unified diff: it has a hunk with a change. */
export function isDiff(text: string): boolean {
  return /^@@.*\n(?:[ \\].*\n|\n)*[+-]/m.test(text)
}

/**
 * Parses a unified diff. Other lines outside its hunks, such as a new mode or a rename, become notes of the next file, so
 * that no line is left out. The parser of the `diff` package throws for damaged hunks and drops such lines, which must
 * be visible before an approval.
 */
export function parseDiff(text: string): readonly DiffFile[] {
  const files: FileDraft[] = []
  const lines = splitLines(text)
  let notes: string[] = []
  const addFile = (path: string): FileDraft => {
    const file = new FileDraft(path)
    files.push(file)
    for (const note of notes) file.note(note)
    notes = []
    return file
  }
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const next = lines[index + 1] ?? ''
    const file = files.at(-1)
    if (line.startsWith('--- ') && next.startsWith('+++ ')) {
      const added = addFile(readPath(line, next))
      if (!isOnePath(line, next)) for (const each of [line, next]) added.note(each)
      index++
    } else if (line.startsWith('diff --git ')) {
      file?.close()
      if (!isPlainHead(line)) notes.push(line)
    } else if (hunkHeader.test(line)) {
      ;(file && notes.length === 0 ? file : addFile('')).open(line)
    } else if (!file?.take(line) && !isPlainIndex(line)) {
      notes.push(line)
    }
  }
  const read = files.map((file) => file.finish())
  return notes.length === 0 ? read : [...read, toRest(notes)]
}

/** Splits a text into lines. A carriage return is dropped only if all lines have one. */
function splitLines(text: string): readonly string[] {
  const lines = text.replace(/\n$/, '').split('\n')
  const isWindows = lines.every((line, index) => line.endsWith('\r') || index === lines.length - 1)
  return isWindows ? lines.map((line) => line.replace(/\r$/, '')) : lines
}

/** Returns lines after the last hunk, or of a file without hunks, as a file of notes. */
function toRest(notes: readonly string[]): DiffFile {
  const lines = notes.map((text) => toNote(text))
  return { path: '', hunks: [{ header: '', lines }], added: 0, removed: 0 }
}

function toNote(text: string): DiffLine {
  return { kind: 'note', text, before: undefined, after: undefined }
}

/** Reports whether both paths of a file are the one shown above its diff. */
function isOnePath(before: string, after: string): boolean {
  const [old, next] = [before.slice(4), after.slice(4)]
  const bare = (path: string): string => path.replace(/^[ab]\//, '')
  return bare(old) === bare(next) && !old.includes('\t') && !next.includes('\t')
}

function isPlainHead(line: string): boolean {
  return /^diff --git a\/(\S+) b\/\1$/.test(line)
}

/** Recognizes the hashes of an ordinary file. */
function isPlainIndex(line: string): boolean {
  return /^index [0-9a-f]+\.\.[0-9a-f]+(?: 100644)?$/.test(line)
}

/** Returns the path of a file; a deleted file has only a path before the change. */
function readPath(before: string, after: string): string {
  const path = after.slice(4) === '/dev/null' ? before.slice(4) : after.slice(4)
  return path.replace(/\t.*$/, '').replace(/^[ab]\//, '')
}

class FileDraft {
  readonly #path: string
  readonly #notes: DiffLine[] = []
  readonly #hunks: { header: string; lines: DiffLine[] }[] = []
  #before: number | undefined
  #after: number | undefined
  #isClosed = false

  constructor(path: string) {
    this.#path = path
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

  note(text: string): void {
    this.#notes.push(toNote(text))
  }

  /** Adds a line to the open hunk; false without one. */
  take(line: string): boolean {
    const hunk = this.#isClosed ? undefined : this.#hunks.at(-1)
    if (!hunk) return false
    const kind = kinds[line.charAt(0)] ?? 'note'
    const isBefore = kind === 'keep' || kind === 'remove'
    const isAfter = kind === 'keep' || kind === 'add'
    hunk.lines.push({
      kind,
      text: kind === 'note' ? line : line.slice(1),
      before: isBefore ? this.#before : undefined,
      after: isAfter ? this.#after : undefined,
    })
    if (isBefore && this.#before !== undefined) this.#before++
    if (isAfter && this.#after !== undefined) this.#after++
    return true
  }

  finish(): DiffFile {
    const lines = this.#hunks.flatMap((hunk) => hunk.lines)
    const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
    return {
      path: this.#path,
      hunks:
        this.#notes.length === 0
          ? this.#hunks
          : [{ header: '', lines: this.#notes }, ...this.#hunks],
      added: count('add'),
      removed: count('remove'),
    }
  }
}
