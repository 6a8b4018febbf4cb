/** Parses a URL; undefined if it is invalid. `URL.canParse` of Node 20 refuses valid URLs with letters such as `ü` once it is optimised. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
