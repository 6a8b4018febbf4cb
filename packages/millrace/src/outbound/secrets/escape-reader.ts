/** Takes the units of a text, with the places where each stands in the bytes. */
export interface UnitSink {
  /** A unit that stands for itself, or an escape that stands for it. */
  plain(code: number, from: number, to: number): void
  /** A quote behind so many backslashes. */
  quote(code: number, depth: number, from: number, to: number): void
  /** An escape for a line end or a tab, however often escaped. */
  gap(): void
}

/** Reads a text that may be a string of JSON, or JSON in a string of JSON, and so on. */
export interface EscapeReader {
  feed(code: number, from: number, to: number): void
  /** Decides what is left without waiting for more. */
  settle(): void
  /** Where an undecided escape begins, or Infinity. */
  heldFrom(): number
}

const BACKSLASH = 0x5c
const SLASH = 0x2f
const LOWER_U = 0x75
const quotes = new Set([0x22, 0x27, 0x60]) // " ' `
const gaps = new Set([0x62, 0x66, 0x6e, 0x72, 0x74]) // b f n r t

/** Creates a reader that undoes escapes, so that `\nsk-…` is a line end and a key and not a word `nsk-…`. */
export function createEscapeReader(sink: UnitSink): EscapeReader {
  let slashes = 0
  let slashFrom = 0
  /** Where the next unit begins if it stands directly behind; in a text made of deltas it may not. */
  let nextFrom = 0
  let isJoined = true
  /** The digits of a `\u…` so far, while one is read. */
  let hex: string | undefined

  function follow(from: number, to: number): void {
    isJoined &&= from === nextFrom
    nextFrom = to
  }

  function escaped(code: number, from: number, to: number): void {
    const depth = slashes
    slashes = 0
    if (quotes.has(code)) return sink.quote(code, depth, from, to)
    if (gaps.has(code)) return sink.gap()
    if (code === SLASH) return sink.plain(code, isJoined ? slashFrom : from, to)
    if (code === LOWER_U) return void (hex = '')
    // A backslash is never covered: what follows might lose its escape.
    sink.plain(BACKSLASH, slashFrom, slashFrom)
    sink.plain(code, from, to)
  }

  function digit(code: number, from: number, to: number): void {
    const text = String.fromCharCode(code)
    if (!/[0-9a-f]/i.test(text)) {
      hex = undefined
      sink.gap()
      return feed(code, from, to)
    }
    hex += text
    if (hex?.length !== 4) return
    if (isJoined) sink.plain(Number.parseInt(hex, 16), slashFrom, to)
    else sink.gap()
    hex = undefined
  }

  function feed(code: number, from: number, to: number): void {
    if (slashes === 0 && hex === undefined) isJoined = true
    else follow(from, to)
    if (hex !== undefined) return digit(code, from, to)
    if (code === BACKSLASH) {
      if (slashes++ > 0) return
      slashFrom = from
      nextFrom = to
      return
    }
    if (slashes > 0) return escaped(code, from, to)
    if (quotes.has(code)) return sink.quote(code, 0, from, to)
    sink.plain(code, from, to)
  }

  return {
    feed,
    settle() {
      if (slashes > 0 || hex !== undefined) sink.gap()
      slashes = 0
      hex = undefined
    },
    heldFrom: () => (slashes > 0 || hex !== undefined ? slashFrom : Infinity),
  }
}
