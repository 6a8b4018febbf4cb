/** How many bytes a base64 text stands for, to within two. */
export function byteLength(data: string): number {
  return Math.floor((data.length * 3) / 4)
}

/**
 * Decodes some bytes out of the middle of a base64 text, as characters of the codes 0 to 255; shorter at its end,
 * empty where it is no base64.
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
