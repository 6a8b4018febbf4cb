/** Bytes before the first letter: white space and the byte order mark. */
const silent: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])

/** Returns the first significant character; undefined before it. */
export function firstLetter(bytes: Uint8Array): string | undefined {
  const byte = bytes.find((candidate) => !silent.has(candidate))
  return byte === undefined ? undefined : String.fromCharCode(byte)
}
