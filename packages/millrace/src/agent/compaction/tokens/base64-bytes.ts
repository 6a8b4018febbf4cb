/** Returns the decoded length of base64 text, to within two bytes. */
export function byteLength(data: string): number {
  return Math.floor((data.length * 3) / 4)
}

/**
 * Decodes a range of bytes of a base64 text, as characters with the codes 0 to 255. Returns fewer at the end of the
 * text and an empty string for invalid base64.
 */
export function readBytes(data: string, offset: number, length: number): string {
  const group = Math.floor(offset / 3)
  const end = Math.ceil((offset + length) / 3)
  try {
    const bytes = atob(data.slice(group * 4, end * 4))
    return bytes.slice(offset - group * 3, offset - group * 3 + length)
  } catch {
    return ''
  }
}
