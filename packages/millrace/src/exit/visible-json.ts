import { isJsonObject, type JsonObject } from '../json/index.ts'

const KIB = 1024
const MIB = 1024 * KIB
/** The text of a document up to this length is shown. */
const MAX_TEXT_CHARS = 4 * KIB

/** Writes JSON for the browser in which the data and the long text of files are replaced by their sizes. */
export function toLabelledJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => labelText(labelData(member)))
}

/** Writes JSON for lists of messages: as {@link toVisibleJson}, and long text of files is replaced by its size. */
export function toHistoryJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => hideOpaque(labelText(labelData(member))))
}

/** Writes JSON for the browser without file data and without what only the provider can read. [MAP-2] */
export function toVisibleJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => hideOpaque(labelData(member)))
}

/** Tells whether a field of a block is meant for its provider alone. */
export function isOpaqueField(field: string): boolean {
  return field === 'signature' || field.startsWith('encrypted_')
}

function labelData(member: unknown): unknown {
  if (!isJsonObject(member) || member['type'] !== 'base64') return member
  const { data } = member
  if (typeof data !== 'string') return member
  // Four characters of base64 hold three bytes.
  return { ...member, data: `[base64, ${toSize((data.length * 3) / 4)}]` }
}

/** The source of a text document has `data`; a block of text has `text`. */
function labelText(member: unknown): unknown {
  if (!isJsonObject(member) || member['type'] !== 'text') return member
  const { data } = member
  if (typeof data !== 'string' || data.length <= MAX_TEXT_CHARS) return member
  return { ...member, data: `[text, ${toSize(data.length)}]` }
}

function toSize(bytes: number): string {
  return bytes < MIB ? `${(bytes / KIB).toFixed(1)} KB` : `${(bytes / MIB).toFixed(1)} MB`
}

function hideOpaque(member: unknown): unknown {
  if (!isJsonObject(member) || typeof member['type'] !== 'string') return member
  const isHidden = (field: string) =>
    isOpaqueField(field) || (field === 'data' && member['type'] === 'redacted_thinking')
  return Object.keys(member).some(isHidden) ? without(member, isHidden) : member
}

function without(member: JsonObject, isHidden: (field: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(member).filter(([field]) => !isHidden(field)))
}
