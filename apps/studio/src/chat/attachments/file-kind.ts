const kinds: ReadonlyMap<string, string> = new Map([
  ['image/png', 'PNG image'],
  ['image/jpeg', 'JPEG image'],
  ['image/gif', 'GIF image'],
  ['image/webp', 'WebP image'],
  ['application/pdf', 'PDF'],
  ['text/plain', 'Text'],
])

/** Returns the common name of a media type; undefined for one without a name. */
export function toFileKind(mediaType: string): string | undefined {
  return kinds.get(mediaType)
}
