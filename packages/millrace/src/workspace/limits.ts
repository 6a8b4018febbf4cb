import { badRequest } from '../errors/index.ts'
import { LONGEST_TIMER_MS } from '../streams/index.ts'

/** Limits of workspace tools: bounds of one call. */
export interface WorkspaceLimits {
  /** Maximum number of lines that `read_file` returns. */
  readonly maxReadLines: number
  /** Maximum number of characters that `read_file` returns. */
  readonly maxReadChars: number
  /** Maximum length of a line that is read or searched. The rest of a longer line is omitted. */
  readonly maxLineChars: number
  /** Maximum number of bytes that `read_file` reads to find lines. */
  readonly maxScanBytes: number
  readonly maxImageBytes: number
  /** Maximum size of a file that `write_file` writes or `patch_file` changes. */
  readonly maxWriteBytes: number
  readonly maxPatchChars: number
  readonly maxListDepth: number
  readonly maxListEntries: number
  readonly maxGlobResults: number
  readonly maxMatches: number
  /** Maximum size of a file that is searched. */
  readonly maxSearchFileBytes: number
  /** Maximum number of files, folders and links in one search, and in one folder. */
  readonly maxWalkEntries: number
  /** Timeout of a search. It then returns the matches so far. */
  readonly searchTimeoutMs: number
  /** Maximum output length of a command, a search or a list. */
  readonly maxOutputChars: number
  /** Default timeout of a command. */
  readonly commandTimeoutMs: number
  /** Maximum timeout of a command. */
  readonly maxCommandTimeoutMs: number
  /** Maximum number of concurrent processes of a command in a sandbox. */
  readonly maxProcesses: number
}

/** The default limits. */
export const defaultLimits: WorkspaceLimits = {
  maxReadLines: 2000,
  maxReadChars: 60_000,
  maxLineChars: 2000,
  maxScanBytes: 268_435_456,
  // 5 MB as base64, the maximum of the Messages API.
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

/** Validates limits and applies the defaults. */
export function toLimits(given: Partial<WorkspaceLimits> = {}): WorkspaceLimits {
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  for (const [name, value] of set) {
    const most = name.endsWith('Ms') ? LONGEST_TIMER_MS : Number.MAX_SAFE_INTEGER
    if (Number.isInteger(value) && value > 0 && value <= most) continue
    throw badRequest(`The limit ${name} must be a whole number, 1 to ${most}.`)
  }
  return { ...defaultLimits, ...Object.fromEntries(set) }
}
