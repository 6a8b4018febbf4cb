import { MillraceError } from '../errors/index.ts'
import { LONGEST_TIMER_MS } from '../streams/index.ts'

/** The bounds of workspace tools: what one call may read, write, search, run or answer. */
export interface WorkspaceLimits {
  /** Lines that `read_file` gives at once. */
  readonly maxReadLines: number
  /** Characters that `read_file` gives at once. */
  readonly maxReadChars: number
  /** Characters of a line that are read or searched; the rest of a longer one is left out. */
  readonly maxLineChars: number
  /** How far into a file `read_file` goes to find its lines. */
  readonly maxScanBytes: number
  readonly maxImageBytes: number
  /** What `write_file` writes, and the largest file that `patch_file` changes. */
  readonly maxWriteBytes: number
  readonly maxPatchChars: number
  readonly maxListDepth: number
  readonly maxListEntries: number
  readonly maxGlobResults: number
  readonly maxMatches: number
  /** Larger files are not searched. */
  readonly maxSearchFileBytes: number
  /** Files, folders and links that one search looks at, and that are read of one folder. */
  readonly maxWalkEntries: number
  /** After this a search gives what it has. */
  readonly searchTimeoutMs: number
  /** Characters of what a command, a search or a list answers. */
  readonly maxOutputChars: number
  /** How long a command may take if the model does not say. */
  readonly commandTimeoutMs: number
  /** How long a command may take at most. */
  readonly maxCommandTimeoutMs: number
  /** Processes that a command in a sandbox may have at once. */
  readonly maxProcesses: number
}

/** The bounds where none are given. */
export const defaultLimits: WorkspaceLimits = {
  maxReadLines: 2000,
  maxReadChars: 60_000,
  maxLineChars: 2000,
  maxScanBytes: 268_435_456,
  // 5 MB as base64, which is what the Messages API takes.
  maxImageBytes: 3_750_000,
  maxWriteBytes: 10_485_760,
  maxPatchChars: 1_048_576,
  maxListDepth: 10,
  maxListEntries: 500,
  maxGlobResults: 1000,
  maxMatches: 500,
  maxSearchFileBytes: 2_097_152,
  maxWalkEntries: 100_000,
  searchTimeoutMs: 20_000,
  maxOutputChars: 30_000,
  commandTimeoutMs: 120_000,
  maxCommandTimeoutMs: 600_000,
  maxProcesses: 512,
}

/** All bounds, with the defaults where none is given. */
export function toLimits(given: Partial<WorkspaceLimits> = {}): WorkspaceLimits {
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  for (const [name, value] of set) {
    const most = name.endsWith('Ms') ? LONGEST_TIMER_MS : Number.MAX_SAFE_INTEGER
    if (Number.isInteger(value) && value > 0 && value <= most) continue
    throw new MillraceError(
      'bad_request',
      `The limit ${name} must be a whole number, 1 to ${most}.`,
    )
  }
  return { ...defaultLimits, ...Object.fromEntries(set) }
}
