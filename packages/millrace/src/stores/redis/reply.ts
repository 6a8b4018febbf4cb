/** A reply of a script or command: texts as bytes, numbers, and null for missing values. */
export type Reply = readonly unknown[]

/** Converts a reply to a list. */
export function toReply(value: unknown): Reply {
  return Array.isArray(value) ? (value as Reply) : []
}

/** Returns the bytes at an index of a reply; undefined for none. */
export function bytesAt(reply: Reply, index: number): Buffer | undefined {
  const value = reply[index]
  return Buffer.isBuffer(value) ? value : undefined
}

/** Returns the text at an index of a reply; undefined for none. */
export function textAt(reply: Reply, index: number): string | undefined {
  return bytesAt(reply, index)?.toString()
}

/** Returns the number at an index of a reply, parsed from text if necessary; 0 for none. */
export function numberAt(reply: Reply, index: number): number {
  const value = reply[index]
  return typeof value === 'number' ? value : Number(textAt(reply, index) ?? 0)
}

/** Returns the texts of a list. */
export function toTexts(value: unknown): string[] {
  const reply = toReply(value)
  return reply.flatMap((_, index) => textAt(reply, index) ?? [])
}
