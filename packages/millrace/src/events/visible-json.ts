import { isJsonObject, type JsonObject } from '../json/index.ts'

const KIB = 1024
const MIB = 1024 * KIB
const MAX_TEXT_CHARS = 4 * KIB

/** Encodes JSON for the browser, with the sizes of file data and of long text of files instead of the content. */
export function toLabelledJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => labelText(labelData(member)))
}

/** Encodes lists of messages as {@link toVisibleJson}, with the size of long text of files instead of the text. */
export function toHistoryJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => hideOpaque(labelText(labelData(member))))
}

/** Encodes JSON for the browser without file data and without fields that only the provider can read. [MAP-2] */
export function toVisibleJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => hideOpaque(labelData(member)))
}

/** Checks for a field that only the provider can read. */
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

/** Replaces the long text of a document source. It is in `data`, unlike the `text` of a text block. */
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
