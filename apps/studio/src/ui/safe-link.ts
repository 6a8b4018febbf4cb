const allowed = new Set(['http:', 'https:', 'mailto:'])

/** Returns the address of a link in model text if it opens a page or a mail; otherwise undefined. */
export function toSafeLink(href: string | undefined): string | undefined {
  try {
    const url = new URL(href ?? '')
    return allowed.has(url.protocol) ? url.href : undefined
  } catch {
    return undefined // relative addresses are not supported
  }
}
