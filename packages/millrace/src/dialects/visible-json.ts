import { isJsonObject, type JsonObject } from '../json/index.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** Writes JSON for the browser in which file data is replaced by its size. */
export function toLabelledJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => labelData(member))
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
  return typeof data === 'string' ? { ...member, data: `[base64, ${sizeOf(data)}]` } : member
}

/** Four characters of base64 hold three bytes. */
function sizeOf(base64: string): string {
  const bytes = (base64.length * 3) / 4
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
