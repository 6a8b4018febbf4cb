import { recognizeFormats } from 'millrace/dialects'

/** Maximum messages examined. A stream with an envelope among them has no other format. */
const MAX_LOOKS = 8

/** Detects a stream of another format. */
interface FormatGuess {
  /** Examines the next message; returns the other format once it is known. */
  look(data: string): string | undefined
  found(): string | undefined
}

/** Creates a guess from the first messages of a stream, up to an envelope. */
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

/** Describes the format of a file, and the command that converts it. */
export function describeForeign(format: string, file: string): string {
  const convert = `millrace convert --from ${format} --to json ${file} --out ${file}.json.sse`
  return `looks like ${names[format] ?? format}, not like envelopes; convert it first: ${convert}`
}
