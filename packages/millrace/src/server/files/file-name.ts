const maxCharacters = 120

/** Characters not allowed in names: controls, bidirectional marks, lone surrogates and separators. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\:*?"<>|]/gu

/** Creates a safe file name: no path, no invisible characters, limited length; undefined if nothing is left. */
export function toSafeName(name: string): string | undefined {
  const base =
    name
      .slice(-4 * maxCharacters)
      .split(/[/\\]/)
      .at(-1) ?? ''
  const clean = base.replace(unsafe, '').replace(/^[\s.]+|[\s.]+$/g, '')
  const characters = Array.from(clean)
  if (characters.length <= maxCharacters) return clean === '' ? undefined : clean
  // The end has the file extension.
  return characters
    .slice(-maxCharacters)
    .join('')
    .replace(/^[\s.]+/, '')
}

/** Creates a `content-disposition` header with the name in ASCII for old clients and in UTF-8 for others (RFC 6266, RFC 5987). */
export function toAttachment(name: string): string {
  const ascii = name.replace(/[^\w.-]/g, '_')
  const exact = encodeURIComponent(name).replace(
    /['()*!]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${exact}`
}
