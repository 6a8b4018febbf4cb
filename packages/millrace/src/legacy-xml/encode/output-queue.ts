import { heldTextError } from './attachments.ts'

/** A block whose text is sent as it arrives, when it is first in the queue. */
export interface StreamedBlock {
  add(text: string): void
  close(): void
}

/** Orders blocks that overlap in time one after another. [XML-19] */
interface OutputQueue {
  addElement(element: string): void
  openBlock(opener: string, closer: string): StreamedBlock
  /** Closes the open blocks, in their order. */
  closeAll(): void
  /** Removes and returns the output that is ready. */
  take(): string[]
}

interface Entry {
  readonly pieces: string[]
  isWhole: boolean
  closer: string | undefined
}

/** Creates an empty queue that holds at most this many UTF-16 units. */
export function createOutputQueue(maxLength: number): OutputQueue {
  const waiting: Entry[] = []
  let output: string[] = []
  let heldLength = 0

  /** Only the first incomplete block streams; later ones wait. */
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
    if (heldLength > maxLength && entry !== waiting[0]) throw heldTextError(maxLength)
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
      // Closing the first removes it from the queue.
      for (const entry of waiting.slice()) close(entry)
    },
    take() {
      const taken = output
      output = []
      return taken
    },
  }
}
