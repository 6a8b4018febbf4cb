/** Formats JSON that grows at its end; reads each character once and keeps numbers and strings as written. */
export interface JsonPrinter {
  /** Takes the whole text so far and returns it formatted. */
  update(text: string): string
}

/** Options of the format. */
export interface JsonPrinterOptions {
  /** Draws escaped line breaks in strings as line breaks; the result is no longer JSON. */
  readonly breaksLines?: boolean
}

/** Beginning of an object or an array. */
const beginsList = /^\s*[[{]/

/** Creates a printer for an empty text. */
export function createJsonPrinter({ breaksLines = false }: JsonPrinterOptions = {}): JsonPrinter {
  let read = 0
  let out = ''
  let depth = 0
  let inString = false
  let escaped = false
  /** A bracket was opened and is still empty. */
  let fresh = false

  const newLine = () => `\n${'  '.repeat(Math.min(depth, 24))}`

  function takeInString(char: string): string {
    if (escaped) return takeEscaped(char)
    escaped = char === '\\'
    if (char === '"') inString = false
    // The meaning of a backslash depends on the next character.
    return escaped && breaksLines ? '' : char
  }

  function takeEscaped(char: string): string {
    escaped = false
    if (!breaksLines) return char
    return char === 'n' ? '\n' : `\\${char}`
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
      // Text that is not JSON, and single values, are kept.
      if (!beginsList.test(text)) return text
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

/** The length of JSON that is shown on one line. */
const LINE_LENGTH = 76

/** Puts formatted JSON on one line if it fits and its strings have no line breaks. */
export function toCompact(pretty: string, text: string): string {
  if (pretty.length > LINE_LENGTH || text.includes('\\n')) return pretty
  return pretty.replaceAll(/\n */g, ' ')
}

/** Formats a text if it is a JSON object or array. */
export function toPrettyText(text: string): string {
  if (!beginsList.test(text)) return text
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  return toCompact(createJsonPrinter({ breaksLines: true }).update(text), text)
}
