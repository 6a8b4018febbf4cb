import { createInterface } from 'node:readline'

/** Reads lines on demand; lines that arrive earlier are kept. */
export function createKeyboard({ onInterrupt }) {
  const reader = createInterface({ input: process.stdin, output: process.stdout })
  const lines = reader[Symbol.asyncIterator]()
  // A terminal hands Ctrl-C to the reader; anything else sends a signal.
  reader.on('SIGINT', onInterrupt)
  process.on('SIGINT', onInterrupt)
  return {
    /** Resolves with the next line, or with undefined where there will be none. */
    ask: async (question) => {
      reader.setPrompt(question)
      reader.prompt()
      const { done, value } = await lines.next()
      return done ? undefined : value.trim()
    },
    close: () => {
      process.off('SIGINT', onInterrupt)
      reader.close()
    },
  }
}
