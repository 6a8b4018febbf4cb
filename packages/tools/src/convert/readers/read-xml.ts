import { type Envelope, DONE_DATA, type SseEvent } from 'millrace'
import {
  createLegacyXmlDecoder,
  createLegacyXmlTextDecoder,
  type LegacyXmlDecoder,
} from 'millrace/legacy-xml'
import { firstLetter } from '../first-letter.ts'
import { readFrames } from './read-frames.ts'
import { checkFormat } from '../check-format.ts'
import { connect, type Stage, CUT, DONE, type WireItem } from '../stage.ts'

/** Reads legacy XML: the data of server-sent events, or plain text, which begins with a tag. [XML-1] */
export function readXml(agent: string): Stage<Uint8Array, WireItem> {
  let reader: Stage<Uint8Array, WireItem> | undefined
  return {
    push(bytes) {
      const letter = reader === undefined ? firstLetter(bytes) : ''
      if (letter === undefined) return []
      reader ??= letter === '<' ? readText(agent) : connect(readFrames(), readMessages(agent))
      return reader.push(bytes)
    },
    end: () => reader?.end() ?? [],
    notes: () => reader?.notes?.() ?? [],
  }
}

/** Reads frames. `[DONE]` is the end only as the last frame; in an open block it is text. [XML-16] */
function readMessages(agent: string): Stage<SseEvent, WireItem> {
  const decoder = createLegacyXmlDecoder({ agent })
  let last: string | undefined
  return {
    push({ data }) {
      if (last === undefined) checkFormat('xml', data)
      last = data
      return decoder.feed(data)
    },
    end: (): WireItem[] => [...decoder.finish(), ...(last === DONE_DATA ? ([DONE] as const) : [])],
    notes: () => (last === DONE_DATA ? [] : [CUT]),
  }
}

/** Reads plain text, in which only an open block, or text outside of blocks, shows a truncation. */
function readText(agent: string): Stage<Uint8Array, WireItem> {
  const decoder: LegacyXmlDecoder = createLegacyXmlTextDecoder({ agent })
  const utf8 = new TextDecoder()
  let isOpen = false
  const decode = (text: string): Envelope[] => (text === '' ? [] : decoder.feed(text))
  return {
    push: (bytes) => decode(utf8.decode(bytes, { stream: true })),
    end() {
      const last = decode(utf8.decode())
      const rest = decoder.finish()
      isOpen = rest.length > 0
      return [...last, ...rest, DONE]
    },
    notes: () => (isOpen ? ['The input ends within a block; it may be truncated.'] : []),
  }
}
