import { badRequest, MillraceError } from '../../errors/index.ts'
import { isJsonObject, type JsonObject, parseJsonObject } from '../../json/index.ts'
import type { CommandChange, Part, StoredFile } from '../../stores/port/index.ts'
import { decodeBase64, encodeBase64 } from '../files/stored-blocks.ts'

/** The format version that this server writes, and the highest that it reads. */
export const ARCHIVE_VERSION = 1

/** The first line of an archive. */
export interface ArchiveStart {
  readonly millrace: 'session'
  readonly version: number
  readonly session: string
  /** The ids of the first and last stored frame. */
  readonly earliest: number
  readonly tail: number
  /** Null for a session that has only files. */
  readonly head: string | null
  /** Null in archives written before sessions had owners. */
  readonly owner: string | null
}

/** The number of entries of each kind, in the last line of an archive. */
export interface ArchiveCounts {
  readonly files: number
  readonly frames: number
  readonly parts: number
  readonly commands: number
}

/** The content of a line after the first. */
export type ArchiveEntry =
  | { readonly type: 'file'; readonly file: StoredFile }
  | { readonly type: 'frame'; readonly id: number; readonly line: Uint8Array }
  | { readonly type: 'part'; readonly part: Part }
  | { readonly type: 'command'; readonly command: CommandChange }
  | { readonly type: 'end'; readonly counts: ArchiveCounts }

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Encodes a file. */
export function encodeFile({ id, mediaType, filename, bytes }: StoredFile): string {
  const data = encodeBase64(bytes)
  return JSON.stringify({ type: 'file', id, media_type: mediaType, filename, data })
}

/** Encodes a frame as text, or as base64 if it is not UTF-8. */
export function encodeFrame(id: number, line: Uint8Array): string {
  return JSON.stringify({ type: 'frame', id, ...toTextOrData(line) })
}

/** Encodes a part. */
export function encodePart({ collection, number, frame, body }: Part): string {
  return JSON.stringify({ type: 'part', collection, number, frame, body })
}

/** Encodes a command. */
export function encodeCommand({ key, body, isPending }: CommandChange): string {
  return JSON.stringify({ type: 'command', key, body, pending: isPending })
}

/** Decodes the first line; throws for other files and later versions. */
export function decodeStart(line: string): ArchiveStart {
  const start = parseJsonObject(line)
  if (start?.['millrace'] !== 'session') {
    throw badRequest(
      'The file is not an archive of a session; create one with `millrace sessions export ID --format archive`.',
    )
  }
  const { version } = start
  if (typeof version === 'number' && version > ARCHIVE_VERSION) {
    throw new MillraceError(
      'unsupported',
      `The archive has version ${version}, but this version of Millrace only reads archives up to version ${ARCHIVE_VERSION}; update Millrace.`,
    )
  }
  const { session, earliest, tail, head, owner = null } = start
  if (version !== ARCHIVE_VERSION || !isText(session)) throw damaged(1)
  if (!isCount(earliest) || !isCount(tail)) throw damaged(1)
  if (head !== null && !isText(head)) throw damaged(1)
  if (owner !== null && !isText(owner)) throw damaged(1)
  return { millrace: 'session', version, session, earliest, tail, head, owner }
}

/** Decodes any other line; `number` is its line number. */
export function decodeEntry(line: string, number: number): ArchiveEntry {
  const given = parseJsonObject(line)
  const entry = given && decoders[String(given['type'])]?.(given)
  if (entry === undefined) throw damaged(number)
  return entry
}

/** Creates the error for a line that cannot be decoded. */
export function damaged(line: number): MillraceError {
  return badRequest(
    `Line ${line} of the archive is invalid: the file is truncated or was modified. Export the session again.`,
  )
}

const decoders: Readonly<Record<string, (line: JsonObject) => ArchiveEntry | undefined>> = {
  file: ({ id, media_type: mediaType, filename, data }) => {
    const bytes = isText(data) ? decodeBase64(data) : undefined
    if (bytes === undefined || !isText(id) || !isText(mediaType)) return undefined
    const name = isText(filename) ? { filename } : {}
    return { type: 'file', file: { id, mediaType, ...name, bytes } }
  },
  frame: ({ id, text, data }) => {
    const line = isText(text) ? encoder.encode(text) : isText(data) ? decodeBase64(data) : undefined
    return isCount(id) && line !== undefined ? { type: 'frame', id, line } : undefined
  },
  part: ({ collection, number, frame, body }) =>
    isText(collection) && isCount(number) && isCount(frame) && isText(body)
      ? { type: 'part', part: { collection, number, frame, body } }
      : undefined,
  command: ({ key, body, pending }) =>
    isText(key) && isText(body) && typeof pending === 'boolean'
      ? { type: 'command', command: { key, body, isPending: pending } }
      : undefined,
  end: ({ counts }) => {
    const { files, frames, parts, commands } = isJsonObject(counts) ? counts : {}
    if (!isCount(files) || !isCount(frames) || !isCount(parts) || !isCount(commands))
      return undefined
    return { type: 'end', counts: { files, frames, parts, commands } }
  },
}

function toTextOrData(line: Uint8Array): { readonly text: string } | { readonly data: string } {
  try {
    return { text: decoder.decode(line) }
  } catch {
    return { data: encodeBase64(line) }
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
