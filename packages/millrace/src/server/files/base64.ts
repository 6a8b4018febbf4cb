/** A multiple of three, so that parts can be joined, and few enough for the arguments of one call. */
const partBytes = 24_576

/** Writes bytes as base64. */
export function encodeBase64(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += partBytes) {
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + partBytes))))
  }
  return parts.join('')
}

/** Reads base64; undefined if it is none. */
export function decodeBase64(text: string): Uint8Array | undefined {
  let binary: string
  try {
    binary = atob(text)
  } catch {
    return undefined
  }
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}
