import { heldTooMuch } from './attachments.ts'

/** A block whose text goes out as it comes, when it is its turn. */
export interface StreamedBlock {
  add(text: string): void
  close(): void
}

/** Puts what may overlap in time into an order without overlaps: one block after the other. [XML-19] */
export interface OutputQueue {
  addElement(element: string): void
  openBlock(opener: string, closer: string): StreamedBlock
  /** Closes the blocks that are open, in their order. */
  closeAll(): void
  /** Takes what can go out by now. */
  take(): string[]
}

interface Entry {
  readonly pieces: string[]
  isWhole: boolean
  closer: string | undefined
}

/** Creates an empty queue that holds back at most so many UTF-16 units. */
export function createOutputQueue(maxLength: number): OutputQueue {
  const waiting: Entry[] = []
  let output: string[] = []
  let heldLength = 0

  /** Only the first block that is not whole streams; whatever is behind it waits. */
  function settle(): void {
    let count = 0
    for (const { pieces, isWhole } of waiting) {
      for (const piece of pieces.splice(0)) {
        heldLength -= piece.length
        output.push(piece)
      }
      if (!isWhole) break
      count++
    }
    waiting.splice(0, count)
  }

  function add(entry: Entry, piece: string): void {
    const isStreaming = entry === waiting[0] && !entry.isWhole
    if (isStreaming) return void output.push(piece)
    entry.pieces.push(piece)
    heldLength += piece.length
    if (heldLength > maxLength && entry !== waiting[0]) throw heldTooMuch(maxLength)
    if (entry === waiting[0]) settle()
  }

  function close(entry: Entry): void {
    if (entry.closer === undefined) return
    const { closer } = entry
    entry.closer = undefined
    entry.isWhole = true
    add(entry, closer)
  }

  return {
    addElement(element) {
      const entry: Entry = { pieces: [], isWhole: true, closer: undefined }
      waiting.push(entry)
      add(entry, element)
    },
    openBlock(opener, closer) {
      const entry: Entry = { pieces: [], isWhole: false, closer }
      waiting.push(entry)
      add(entry, opener)
      return { add: (text) => add(entry, text), close: () => close(entry) }
    },
    closeAll() {
      // Closing the first takes it out of the queue.
      for (const entry of waiting.slice()) close(entry)
    },
    take() {
      const taken = output
      output = []
      return taken
    },
  }
}
