import { createSseDecoder } from 'millrace'
import {
  anthropic,
  createMessageReader,
  createPartialJson,
  type ModelEvent,
  parseEvent,
} from 'millrace/anthropic'
import { demand } from '../deltas.ts'
import { answerWith, type MessageRunner } from './runner.ts'

const request = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  maxTokens: 1000,
} as const

/** Reads each event like an application, and returns the message at the end. */
function createWatcher(readsInput: boolean) {
  const partial = createPartialJson()
  let content: readonly object[] = []
  let value: unknown
  return {
    see(event: ModelEvent): void {
      if (event.type === 'message_end') content = event.content
      if (!readsInput || event.type !== 'block_delta') return
      partial.feed(event.text)
      value = partial.value
    },
    get content() {
      return readsInput && value === undefined ? [] : content
    },
  }
}

/** The whole path, with the request and its response body. */
export const ourModel: MessageRunner = {
  name: 'millrace anthropic()',
  prepare(sample, { readsInput }) {
    const model = anthropic('m', { apiKey: 'none', fetch: answerWith(sample) })
    return async () => {
      const watcher = createWatcher(readsInput)
      for await (const event of model.stream(request)) watcher.see(event)
      demand(sample.isWhole(watcher.content), 'millrace')
    }
  },
}

/** Without I/O and delays. */
export const ourReader: MessageRunner = {
  name: 'millrace createMessageReader',
  prepare(sample, { readsInput }) {
    return () => {
      const watcher = createWatcher(readsInput)
      const reader = createMessageReader()
      const decoder = createSseDecoder({
        maxFrameChars: 16 * 1024 * 1024,
        onEvent(frame) {
          const event = parseEvent(frame)
          if (event !== undefined) for (const received of reader.feed(event)) watcher.see(received)
        },
      })
      for (const chunk of sample.chunks) decoder.feed(chunk)
      demand(sample.isWhole(watcher.content), 'millrace')
    }
  },
}
