import { recognizeFormats } from 'millrace/dialects'

/** So many messages are looked at; what is an envelope so far is broken further on, and of no other format. */
const MAX_LOOKS = 8

/** Finds out whether a stream is one of another format altogether. */
export interface FormatGuess {
  /** Looks at the next message, and gives the other format once it is known. */
  look(data: string): string | undefined
  found(): string | undefined
}

/** Guesses by the first messages of a stream, until one of them is an envelope. */
export function createFormatGuess(): FormatGuess {
  let looks = 0
  let found: string | undefined
  return {
    look(data) {
      if (found !== undefined || looks >= MAX_LOOKS) return found
      const formats = recognizeFormats(data)
      looks = formats.includes('json') ? MAX_LOOKS : looks + 1
      if (looks < MAX_LOOKS) [found] = formats
      return found
    },
    found: () => found,
  }
}

const names: Readonly<Record<string, string>> = {
  'ag-ui': 'an AG-UI stream',
  'ai-sdk': 'an AI SDK stream',
  anthropic: 'a stream of the Messages API',
  openai: 'a stream of chat completions',
  segments: 'a stream of segment events',
  xml: 'legacy XML',
}

/** Says what a file looks like, and how it becomes one of envelopes. */
export function describeForeign(format: string, file: string): string {
  const convert = `millrace convert --from ${format} --to json ${file} --out ${file}.json.sse`
  return `looks like ${names[format] ?? format}, not like envelopes; convert it first: ${convert}`
}
