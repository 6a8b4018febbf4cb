import { isJsonObject, type JsonValue } from 'millrace'

/** Bytes in a line of a recording. */
type EncodedContent = { readonly text: string } | { readonly base64: string }

/** Encodes bytes as text if that restores the same bytes, otherwise as base64. */
export function encodeContent(bytes: Uint8Array): EncodedContent {
  try {
    // A byte order mark belongs to the bytes.
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { base64: toBase64(bytes) }
  }
}

/** Decodes the output of {@link encodeContent}; returns undefined for a value with neither text nor base64. */
export function decodeContent(value: JsonValue | undefined): Uint8Array | undefined {
  if (!isJsonObject(value)) return undefined
  const { text, base64 } = value
  if (typeof text === 'string') return new TextEncoder().encode(text)
  return typeof base64 === 'string' ? fromBase64(base64) : undefined
}

/** Maximum number of arguments of one function call; more overflow the stack. */
const sliceBytes = 8192

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let from = 0; from < bytes.length; from += sliceBytes) {
    binary += String.fromCharCode(...bytes.subarray(from, from + sliceBytes))
  }
  return btoa(binary)
}

function fromBase64(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0))
  } catch {
    return undefined
  }
}
