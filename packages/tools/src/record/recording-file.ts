import {
  accessSync,
  constants,
  createWriteStream,
  mkdirSync,
  openSync,
  type WriteStream,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { MillraceError } from 'millrace'

/** A file to which a recording is written. */
export interface RecordingFile {
  readonly path: string
  readonly stream: WriteStream
  /** Resolves when everything is written; rejects on failure. */
  close(): Promise<void>
}

/** Opens a new file for each exchange. */
export type OpenRecordingFile = (route: string, at: Date) => RecordingFile

const extension = '.jsonl'

/** Maximum files with the same name. */
const maxAttempts = 100_000

/**
 * Creates the function that opens files for recordings: in a folder, or under one name with a number from the second
 * file on. Files are never overwritten, and only their owner can read them.
 */
export function createRecordingFiles(out: string): OpenRecordingFile {
  const isFile = out.endsWith(extension)
  const folder = isFile ? dirname(out) : out
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
  } catch (cause) {
    const message = `The folder ${folder} cannot be written to; choose another one with --out.`
    throw new MillraceError('bad_request', message, { cause })
  }
  return (route, at) => {
    const base = isFile ? out.slice(0, -extension.length) : join(folder, toName(route, at))
    const { path, descriptor } = openNew(base)
    const stream = createWriteStream(path, { fd: descriptor })
    // Reported by `close`; without a listener it would end the process.
    stream.on('error', () => {})
    return {
      path,
      stream,
      close: () => {
        stream.end()
        return finished(stream)
      },
    }
  }
}

function openNew(base: string): { readonly path: string; readonly descriptor: number } {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const path = `${base}${attempt === 1 ? '' : `-${attempt}`}${extension}`
    try {
      return { path, descriptor: openSync(path, 'wx', 0o600) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  throw new MillraceError('conflict', `There are too many files like ${base}; move some away.`)
}

/** Creates a name such as `20260102-030405-v1-messages`. */
function toName(route: string, at: Date): string {
  const stamp = at
    .toISOString()
    .replace(/[-:]|\.\d+Z$/g, '')
    .replace('T', '-')
  const slug = (route.split('?')[0] ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return slug === '' ? stamp : `${stamp}-${slug.slice(0, 60)}`
}
