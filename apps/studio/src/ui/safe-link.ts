const allowed = new Set(['http:', 'https:', 'mailto:'])

/** The address of a link in model text if following it can do no more than open a page or a mail; else undefined. */
export function toSafeLink(href: string | undefined): string | undefined {
  try {
    const url = new URL(href ?? '')
    return allowed.has(url.protocol) ? url.href : undefined
  } catch {
    return undefined // relative addresses lead nowhere here
  }
}
