import { MillraceError } from '../../errors/index.ts'
import { blockKey, type Envelope } from '../../events/index.ts'
import { escapeUnit, replaceEvery } from '../escaping/backslashes.ts'
import { END_OF_STREAM, isTagName, MAX_NAME_LENGTH } from '../tags.ts'

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

// With the `u` flag the range matches only lone surrogates, which UTF-8 cannot encode.
const UNSAFE = new RegExp(
  `<\\/?(!\\[CDATA\\[|[\\w:.-]{0,${MAX_NAME_LENGTH + 1}})|[\\\\\\n\\r\\ud800-\\udfff]`,
  'gu',
)
const SECTION = '![CDATA['

/** Escapes the text of one block, delta by delta. [XML-17] */
interface ModelText {
  /** Escapes the next delta; returns the text that is ready, which may be empty. */
  add(delta: string): string
  /** Returns the held text. */
  end(): string
}

/**
 * Creates the escaper of one block's text: a `<` is escaped only before the name of a tag. An end of the text that
 * may become such a name, or a surrogate pair, is held until the next delta.
 */
export function createModelText(): ModelText {
  let held = ''
  return {
    add(delta) {
      const text = held + delta
      const end = undecidedFrom(text)
      held = text.slice(end)
      return escapeText(text.slice(0, end))
    },
    end() {
      const rest = held
      held = ''
      return escapeText(rest)
    },
  }
}

function escapeText(text: string): string {
  return text === END_OF_STREAM
    ? '\\u005bDONE]'
    : replaceEvery(text, UNSAFE, escapeOne, undecidedFrom)
}

function escapeOne(unsafe: string, name?: string): string {
  if (name === undefined) return escapeUnit(unsafe)
  const isTag = name === SECTION || name.length > MAX_NAME_LENGTH || isTagName(name)
  return isTag ? `${escapeUnit('<')}${unsafe.slice(1)}` : unsafe
}

/** Length of `</` and the longest name. */
const LONGEST_UNDECIDED = MAX_NAME_LENGTH + 2
const UNDECIDED = /(?:<(?:\/?[\w:.-]*|!\[?C?D?A?T?A?)|[\ud800-\udbff])$/

/**
 * Returns the start of the end of the text that the next character may complete to a tag or a pair, or the text's
 * length.
 * if a <conte
 * ^
 */
function undecidedFrom(text: string): number {
  const tail = text.slice(-LONGEST_UNDECIDED)
  const start = tail.search(UNDECIDED)
  return start < 0 ? text.length : text.length - tail.length + start
}

/** Holds images and citations until their block is complete. */
interface Attachments {
  add(key: string, item: Envelope): void
  take(key: string): readonly Envelope[]
  /** Removes and returns all held items, by block. */
  takeAll(): readonly (readonly Envelope[])[]
}

/** Creates an empty collection that holds at most this many UTF-16 units. */
export function createAttachments(maxLength: number): Attachments {
  const kept = new Map<string, Envelope[]>()
  let length = 0

  function take(key: string): readonly Envelope[] {
    const items = kept.get(key) ?? []
    kept.delete(key)
    for (const item of items) length -= lengthOf(item)
    return items
  }

  return {
    add(key, item) {
      length += lengthOf(item)
      if (length > maxLength) throw heldTextError(maxLength)
      const items = kept.get(key)
      if (items === undefined) kept.set(key, [item])
      else items.push(item)
    },
    take,
    takeAll: () => [...kept.keys()].map(take),
  }
}

function lengthOf({ delta, ...fields }: Envelope): number {
  const { src } = fields
  return delta.length + (typeof src === 'string' ? src.length : 0)
}

/** Creates the error for a stream that exceeds the limit of held text. */
function heldTextError(maxLength: number): MillraceError {
  return new MillraceError(
    'frame_too_large',
    `More than ${maxLength} characters wait for a block to end. Raise maxHeldLength to accept them.`,
  )
}

/** Returns the key of the tool result that an image belongs to. */
export function resultKey(image: Envelope): string {
  return blockKey({ ...image, type: 'tool_result' })
}
