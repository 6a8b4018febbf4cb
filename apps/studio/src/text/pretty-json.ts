/** Lays out JSON that grows at its end, reading each character once and keeping numbers and strings as written. */
export interface JsonPrinter {
  /** Takes the whole text so far and gives it laid out. */
  update(text: string): string
}

/** Creates a printer at the beginning of a text. */
export function createJsonPrinter(): JsonPrinter {
  let read = 0
  let out = ''
  let depth = 0
  let inString = false
  let escaped = false
  /** A bracket was opened and nothing has followed yet. */
  let fresh = false

  const newLine = () => `\n${'  '.repeat(Math.min(depth, 24))}`

  function takeInString(char: string): string {
    if (escaped) escaped = false
    else if (char === '\\') escaped = true
    else if (char === '"') inString = false
    return char
  }

  function takeClosing(char: string): string {
    depth = Math.max(0, depth - 1)
    const closed = fresh ? char : newLine() + char
    fresh = false
    return closed
  }

  function take(char: string): string {
    if (inString) return takeInString(char)
    if (char === ' ' || char === '\n' || char === '\r' || char === '\t') return ''
    if (char === '}' || char === ']') return takeClosing(char)
    const lead = fresh ? newLine() : ''
    fresh = char === '{' || char === '['
    if (fresh) depth++
    if (char === '"') inString = true
    if (char === ',') return char + newLine()
    return lead + (char === ':' ? ': ' : char)
  }

  return {
    update(text) {
      if (text.length < read) {
        read = depth = 0
        out = ''
        inString = escaped = fresh = false
      }
      for (; read < text.length; read++) out += take(text[read] ?? '')
      return out
    },
  }
}

/** What fits on one line is easier to read there. */
const LINE_LENGTH = 76

/** JSON that was laid out, on one line if it fits. */
export function toCompact(pretty: string): string {
  // In JSON a line end never stands inside a string.
  return pretty.length <= LINE_LENGTH ? pretty.replaceAll(/\n */g, ' ') : pretty
}

/** A text laid out if it is a JSON object or array, and as it is otherwise. */
export function toPrettyText(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  return toCompact(createJsonPrinter().update(text))
}
