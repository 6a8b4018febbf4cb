import { decodeRecording } from 'millrace-tools/recordings'
import type { Recording } from 'millrace-tools/recordings'
import { createLineCutter } from './read-lines.ts'
import { readSse } from './read-sse.ts'
import { unreadable } from './recorded-item.ts'
import type { ItemReader, RecordedItem } from './recorded-item.ts'

/** Prompt and time of a recorded exchange. */
export interface ExchangeHead {
  readonly prompt: string
  /** Time of the request in milliseconds since the epoch. */
  readonly time: number
}

/** Reads a recorded exchange with a provider, as `millrace record` writes it. */
export function readExchange(name: string, onHead: (head: ExchangeHead) => void): ItemReader {
  const cutter = createLineCutter()
  const body = readSse()
  const utf8 = new TextDecoder()
  let head = ''
  let lineNumber = 0
  let start = 0

  function take(lines: readonly string[]): RecordedItem[] {
    const rest = head === '' ? lines.slice(1) : lines
    if (head === '' && lines[0] !== undefined) open(lines[0])
    const { chunks } = decode(rest)
    lineNumber += rest.length
    return chunks.flatMap(({ ms, bytes }) =>
      body.feed(utf8.decode(bytes, { stream: true })).map(toTimed(start + ms)),
    )
  }

  function open(line: string): void {
    head = line
    const recording = decodeRecording(line, { name })
    const { status, waitMs } = recording.response
    if (status >= 300) {
      throw unreadable(name, `the provider responded with status ${status} and not with a stream.`)
    }
    const time = Date.parse(recording.at ?? '') || 0
    start = time + waitMs
    onHead({ prompt: readPrompt(recording) ?? name, time })
  }

  /** Decodes some lines as a separate recording, so that no call takes long. */
  function decode(lines: readonly string[]): Recording {
    try {
      return decodeRecording([head, ...lines].join('\n'), { name })
    } catch {
      // Decodes again with empty lines before, so that the error has the line number of the file.
      return decodeRecording([head, ...Array<string>(lineNumber).fill(''), ...lines].join('\n'), {
        name,
      })
    }
  }

  return {
    feed: (text) => take(cutter.feed(text)),
    finish: () => {
      const items = take(cutter.finish())
      return [...items, ...body.finish().map(toTimed(start))]
    },
  }
}

function toTimed(time: number): (item: RecordedItem) => RecordedItem {
  return (item) => ({ ...item, time, isTimed: true })
}

interface AskedMessage {
  readonly role?: unknown
  readonly content?: unknown
}

/** Returns the last prompt of a request. */
function readPrompt({ request }: Recording): string | undefined {
  if (!request?.body || !('bytes' in request.body)) return undefined
  try {
    const { messages } = JSON.parse(new TextDecoder().decode(request.body.bytes)) as {
      readonly messages?: readonly AskedMessage[]
    }
    return toText(messages?.findLast(({ role }) => role === 'user')?.content)
  } catch {
    return undefined
  }
}

function toText(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  const texts = (content as readonly { readonly text?: unknown }[]).map(({ text }) => text)
  return texts.filter((text) => typeof text === 'string').join('\n') || undefined
}
