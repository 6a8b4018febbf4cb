/** A multiple of three, so that parts can be joined, and small enough for the arguments of one call. */
const partBytes = 24_576

/** Encodes bytes as base64. */
export function encodeBase64(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += partBytes) {
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + partBytes))))
  }
  return parts.join('')
}

/** Decodes base64; undefined if it is invalid. */
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
