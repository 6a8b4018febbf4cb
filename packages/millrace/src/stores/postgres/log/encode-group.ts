import type { Append, CommandChange, LogEntry, PartChange } from '../../port/index.ts'

/** Lines in a row, counted from 1 in their append. */
interface LineRow {
  readonly first: number
  readonly last: number
  /** Size of the row, including the lengths of its lines. */
  readonly bytes: number
}

/** Maximum number of lines in a row. A page can then be found by the last ids of its rows. */
export const MAX_ROW_LINES = 256
const MAX_ROW_BYTES = 65_536

/** Divides the lines of an append into rows. */
export function toRows(lines: readonly Uint8Array[]): LineRow[] {
  const rows: LineRow[] = []
  let first = 1
  let bytes = 0
  lines.forEach(({ length }, index) => {
    const size = length + varintBytes(length)
    const isFull = bytes + size > MAX_ROW_BYTES || index + 1 - first >= MAX_ROW_LINES
    if (isFull && index + 1 > first) {
      rows.push({ first, last: index, bytes })
      first = index + 1
      bytes = 0
    }
    bytes += size
  })
  if (lines.length >= first) rows.push({ first, last: lines.length, bytes })
  return rows
}

/** Writes the lines of a row, each after its length, and returns the end offset. */
export function writeLines(
  target: Buffer,
  start: number,
  lines: readonly Uint8Array[],
  { first, last }: LineRow,
): number {
  let at = start
  for (let index = first - 1; index < last; index++) {
    const line = lines[index] ?? new Uint8Array(0)
    at = writeVarint(target, at, line.length)
    target.set(line, at)
    at += line.length
  }
  return at
}

/** Reads the lines of a row with ids in a range, without copying them. */
export function readLines(row: Buffer, first: number, after: number, end: number): LogEntry[] {
  const found: LogEntry[] = []
  let at = 0
  for (let id = first; at < row.length && id <= end; id++) {
    let length = 0
    let shift = 1
    let byte = 0
    do {
      byte = row[at++] ?? 0
      length += (byte & 127) * shift
      shift *= 128
    } while (byte > 127)
    if (id > after) found.push({ id, line: row.subarray(at, at + length) })
    at += length
  }
  return found
}

function varintBytes(value: number): number {
  let bytes = 1
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) bytes += 1
  return bytes
}

function writeVarint(target: Buffer, start: number, value: number): number {
  let at = start
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) target[at++] = (rest % 128) + 128
  target[at++] = rest
  return at
}

/** A pending append, prepared for a group. */
export interface Job {
  readonly asked: Append
  /** Identifies the append if it is sent again. */
  readonly token: string
  readonly rows: readonly LineRow[]
  /** The last change of each part, and of each command in the order of first occurrence. */
  readonly parts: readonly PartChange[]
  readonly commands: readonly CommandChange[]
  readonly bytes: number
}

/** Prepares an append. Of repeated changes to a part or a command, only the last is written. */
export function toJob(asked: Append, token: string): Job {
  const { lines, head = '', parts = [], commands = [] } = asked
  const rows = toRows(lines)
  const changes = lastParts(parts)
  const lastCommands = new Map(commands.map((command) => [command.key, command]))
  let bytes = Buffer.byteLength(head)
  for (const row of rows) bytes += row.bytes
  for (const { body } of changes) bytes += Buffer.byteLength(body ?? '')
  for (const { key, body } of lastCommands.values())
    bytes += Buffer.byteLength(key) + Buffer.byteLength(body)
  return {
    asked,
    token,
    rows,
    parts: changes,
    commands: [...lastCommands.values()],
    bytes,
  }
}

/** Returns the last change of each part: one statement must not change a row twice. */
export function lastParts<Change extends PartChange>(parts: readonly Change[]): readonly Change[] {
  const last = new Map(parts.map((part) => [`${part.number} ${part.collection}`, part]))
  return [...last.values()]
}

type Column = (string | number | boolean | null)[]

class Bytes {
  readonly buffer: Buffer
  #at = 0

  constructor(size: number) {
    this.buffer = Buffer.allocUnsafe(size)
  }

  /** Writes bytes, and returns their start, from 1, and their length. */
  #note(write: (at: number) => number): [start: number, length: number] {
    const start = this.#at
    this.#at = write(start)
    return [start + 1, this.#at - start]
  }

  text(text: string): [number, number] {
    return this.#note((at) => at + this.buffer.write(text, at))
  }

  lines(lines: readonly Uint8Array[], row: LineRow): [number, number] {
    return this.#note((at) => writeLines(this.buffer, at, lines, row))
  }
}

class Columns {
  readonly columns: Column[]

  constructor(count: number) {
    this.columns = Array.from({ length: count }, () => [])
  }

  add(...row: (string | number | boolean | null)[]): void {
    row.forEach((value, index) => this.columns[index]?.push(value))
  }
}

/** Returns the arguments of the append function for a group, in order, without the limits of a log. */
export function encodeGroup(jobs: readonly Job[]): unknown[] {
  const bytes = new Bytes(jobs.reduce((sum, job) => sum + job.bytes, 0))
  const appends = new Columns(10)
  const frames = new Columns(5)
  const heads = new Columns(3)
  const parts = new Columns(6)
  const commands = new Columns(6)
  jobs.forEach(({ asked, token, rows, ...changes }, index) => {
    const place = index + 1
    const { session, log = null, epoch, tail, inbox = null, lines, head, isQuiet = false } = asked
    const fence = [session, log, epoch, tail, inbox, token]
    appends.add(...fence, lines.length, ...toGrant(asked), isQuiet)
    for (const row of rows) frames.add(place, row.first, row.last, ...bytes.lines(lines, row))
    if (head !== undefined) heads.add(place, ...bytes.text(head))
    for (const part of changes.parts) {
      const [frame, ...where] =
        part.body === null ? [0, 1, null] : [part.frame, ...bytes.text(part.body)]
      parts.add(place, part.collection, part.number, frame, ...where)
    }
    for (const { key, isPending, body } of changes.commands)
      commands.add(place, ...bytes.text(key), isPending, ...bytes.text(body))
  })
  const groups = [frames, heads, parts, commands].flatMap(({ columns }) => columns)
  return [...appends.columns, bytes.buffer, ...groups]
}

/** Returns owner and milliseconds of a lease; [null, 0] releases it, and [null, null] leaves it unchanged. */
function toGrant({ lease }: Append): [string | null, number | null] {
  if (lease === undefined) return [null, null]
  return lease === 'release' ? [null, 0] : [lease.owner, lease.ms]
}
