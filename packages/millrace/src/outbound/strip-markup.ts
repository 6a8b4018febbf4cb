/** Elements that identify a text as HTML. */
const pageMarks =
  /<(?:!doctype|\?xml|html|head|body|title|meta|h[1-6]|p|div|span|center|script|style|table|br|hr|img|svg|iframe|a|b)(?=[\s/>])/i

const title = /<title[^<>]{0,200}>([^<]{1,300})<\/title/i

/** Elements without visible content. */
const invisibleElements = /^(?:script|style|head|svg|template|noscript)$/i
const tagName = /^\/?([A-Za-z][A-Za-z0-9]{0,15})/

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&#x27;': "'",
  '&nbsp;': ' ',
}

/** Checks whether a text contains HTML. */
export function isMarkup(text: string): boolean {
  return pageMarks.test(text)
}

/** Returns the title of a page, or undefined. */
export function titleOf(page: string): string | undefined {
  const found = title.exec(page)?.[1]
  const text = found === undefined ? '' : decodeEntities(found).replace(/\s+/g, ' ').trim()
  return text === '' ? undefined : text
}

/** Converts a text with HTML to one line of plain text: the text before the markup, and the title or the visible text of the page. */
export function removeMarkup(text: string): string {
  if (!isMarkup(text)) return text
  const start = text.indexOf('<')
  const content = titleOf(text) ?? stripMarkup(text.slice(start))
  return `${text.slice(0, start)} ${content}`.replace(/\s+/g, ' ').trim()
}

/** Removes tags, comments, scripts and styles in one pass. */
export function stripMarkup(text: string): string {
  const parts: string[] = []
  let at = 0
  while (at < text.length) {
    const open = text.indexOf('<', at)
    if (open === -1) break
    parts.push(text.slice(at, open), ' ')
    at = endOfTag(text, open)
  }
  parts.push(text.slice(at))
  return decodeEntities(parts.join(''))
}

/** Returns the position after a tag or an element without visible content. An unfinished tag extends to the end of the text. */
function endOfTag(text: string, open: number): number {
  if (text.startsWith('<!--', open)) return after(text, '-->', open)
  const close = after(text, '>', open)
  const name = tagName.exec(text.slice(open + 1, open + 18))?.[1]
  if (name === undefined || text[open + 1] === '/' || !invisibleElements.test(name)) return close
  return after(text, `</${name}`, close, '>')
}

function after(text: string, mark: string, from: number, then = ''): number {
  const found = text.indexOf(mark, from)
  if (found === -1) return text.length
  return then === '' ? found + mark.length : after(text, then, found)
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#?\w{2,6});/g, (entity) => entities[entity.toLowerCase()] ?? ' ')
}
