import type { ChatCalls } from './chat-calls.ts'
import type { MessageBlocks } from './message-blocks.ts'

/** Takes the text of a message. */
export interface TextSink {
  write(text: string): void
  /** Says that no more text comes; what was held back is released. */
  finish(): void
}

/** Writes text as it is. */
export function createPlainText(blocks: MessageBlocks, calls: ChatCalls): TextSink {
  return {
    write(text) {
      if (text === '') return
      calls.endWhole()
      blocks.write('text', text)
    },
    finish() {},
  }
}
