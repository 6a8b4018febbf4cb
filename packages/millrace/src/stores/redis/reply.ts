/** What a script or command of Redis answers with: texts as bytes, numbers, and null for what is not there. */
export type Reply = readonly unknown[]

/** Reads a reply that is a list. */
export function toReply(value: unknown): Reply {
  return Array.isArray(value) ? (value as Reply) : []
}

/** The bytes at a place of a reply, if there are any. */
export function bytesAt(reply: Reply, index: number): Buffer | undefined {
  const value = reply[index]
  return Buffer.isBuffer(value) ? value : undefined
}

/** The text at a place of a reply, if there is one. */
export function textAt(reply: Reply, index: number): string | undefined {
  return bytesAt(reply, index)?.toString()
}

/** The number at a place of a reply, which may be written as text; 0 if there is none. */
export function numberAt(reply: Reply, index: number): number {
  const value = reply[index]
  return typeof value === 'number' ? value : Number(textAt(reply, index) ?? 0)
}

/** The texts of a reply that is a list of them. */
export function toTexts(value: unknown): string[] {
  const reply = toReply(value)
  return reply.flatMap((_, index) => textAt(reply, index) ?? [])
}
