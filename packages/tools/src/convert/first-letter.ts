/** Bytes that say nothing about what follows: white space, and those of a byte order mark. */
const silent: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])

/** The first character that says something, or undefined if none has come yet. */
export function firstLetter(bytes: Uint8Array): string | undefined {
  const byte = bytes.find((candidate) => !silent.has(candidate))
  return byte === undefined ? undefined : String.fromCharCode(byte)
}
