const maxCharacters = 120

/** What a name must not hold: controls, marks that turn the direction of text, halves of characters, and separators. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\:*?"<>|]/gu

/** A name that a file can be saved under: no path, nothing invisible, not too long; undefined if nothing is left. */
export function toSafeName(name: string): string | undefined {
  const base =
    name
      .slice(-4 * maxCharacters)
      .split(/[/\\]/)
      .at(-1) ?? ''
  const clean = base.replace(unsafe, '').replace(/^[\s.]+|[\s.]+$/g, '')
  const characters = Array.from(clean)
  if (characters.length <= maxCharacters) return clean === '' ? undefined : clean
  // The end says what kind of file it is.
  return characters
    .slice(-maxCharacters)
    .join('')
    .replace(/^[\s.]+/, '')
}

/** The header that names a file to be saved, in ASCII for old clients and exactly for the others (RFC 6266, RFC 5987). */
export function toAttachment(name: string): string {
  const ascii = name.replace(/[^\w.-]/g, '_')
  const exact = encodeURIComponent(name).replace(
    /['()*!]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${exact}`
}
