const kinds: ReadonlyMap<string, string> = new Map([
  ['image/png', 'PNG image'],
  ['image/jpeg', 'JPEG image'],
  ['image/gif', 'GIF image'],
  ['image/webp', 'WebP image'],
  ['application/pdf', 'PDF'],
  ['text/plain', 'Text'],
])

/** What people call a type of file; undefined for one that has no such name. */
export function toFileKind(mediaType: string): string | undefined {
  return kinds.get(mediaType)
}
