import { isProse, traitsOfEvent } from '../catalog/find-traits.ts'
import { MillraceError } from '../../errors/index.ts'
import { createStepTracker } from './step-tracker.ts'
import type {
  CallPiece,
  CitationEvent,
  OfType,
  Piece,
  ResultPiece,
  StreamEvent,
  TextPiece,
  ThinkingPiece,
  UserMessagePiece,
} from './stream-event.ts'

type ImageEvent = OfType<StreamEvent, 'tool_result_image'>
type RollbackEvent = OfType<StreamEvent, 'rollback'>

/** A piece of text or thinking; the end of a text comes after its citations and has them. */
export type CollectedProse = (TextPiece | ThinkingPiece) & {
  readonly citations?: readonly CitationEvent[]
}

/** A piece of a call; its end has all arguments. */
export type CollectedCall = CallPiece & { readonly input?: string }

/** A complete result with its images. */
export type CollectedResult = ResultPiece & { readonly images: readonly ImageEvent[] }

/** A rollback with the first pieces of the blocks that it voids, oldest first. [LIFE-8] */
type CollectedRollback = RollbackEvent & { readonly voided: readonly Piece[] }

/** An event with everything that belongs to it. */
export type CollectedEvent =
  | CollectedProse
  | CollectedCall
  | CollectedResult
  | CollectedRollback
  | Exclude<
      StreamEvent,
      Exclude<Piece, UserMessagePiece> | CitationEvent | ImageEvent | RollbackEvent
    >

/** The collected events of one type. */
export type CollectedEventOf<Type extends CollectedEvent['type']> = OfType<CollectedEvent, Type>

/** Creates the collector of one log, which holds at most `maxHeldLength` UTF-16 units of arguments and results. */
export function createCollector({ maxHeldLength = 64 * 1024 * 1024 } = {}): Collector {
  return new Collector(maxHeldLength)
}

/** The end of a text, which citations may follow. [LIFE-3] */
interface HeldEnd {
  readonly piece: TextPiece
  readonly citations: CitationEvent[]
}

/** Collects the events of a log for writers of formats that have citations, arguments and results in one place. */
class Collector {
  readonly #maxHeldLength: number
  readonly #steps = createStepTracker()
  readonly #open = new Map<string, { readonly first: Piece; text: string }>()
  readonly #ends = new Map<string, HeldEnd>()
  readonly #images = new Map<string, ImageEvent[]>()
  #heldLength = 0
  #collected: CollectedEvent[] = []

  constructor(maxHeldLength: number) {
    this.#maxHeldLength = maxHeldLength
  }

  take(event: StreamEvent): readonly CollectedEvent[] {
    // Most events continue a text.
    const isNext = event.type === 'text' && !event.start && !event.end
    if (isNext && this.#ends.size === 0) return [event]
    const voided = this.#steps.take(event)
    if (event.type === 'citation') this.#ends.get(event.agent)?.citations.push(event)
    else if ('start' in event) this.#takePiece(event)
    else {
      // Events beside a run may come between a text and its citations. [CMD-5]
      if (traitsOfEvent(event.type)?.isBeside !== true) this.#settle(event.agent)
      // A stream of an older version may leave blocks open.
      if (event.type === 'run_end') this.#endBlocks(event.agent)
      if (event.type === 'tool_result_image') this.#keepImage(event)
      else if (event.type === 'rollback') this.#collected.push({ ...event, voided })
      else this.#collected.push(event)
    }
    return this.#drain()
  }

  /** Ends open blocks as interrupted, because no more events come. */
  finish(): readonly CollectedEvent[] {
    this.#endBlocks()
    return this.#drain()
  }

  /** Ends the blocks that an agent, or any agent, has open. */
  #endBlocks(agent?: string): void {
    for (const { first, text: input } of this.#open.values()) {
      if (agent !== undefined && first.agent !== agent) continue
      this.#open.delete(first.block)
      this.#heldLength -= input.length
      const end = { ...first, text: '', start: false, end: true, interrupted: true }
      if (end.type === 'text') this.#takeText(end)
      else if (isGrowing(end))
        this.#collected.push(end.type === 'thinking' ? end : { ...end, input })
    }
    for (const other of agent === undefined ? this.#ends.keys() : [agent]) this.#settle(other)
  }

  #drain(): readonly CollectedEvent[] {
    const collected = this.#collected
    this.#collected = []
    return collected
  }

  #takePiece(piece: Piece): void {
    if (piece.type === 'text') return this.#takeText(piece)
    // A result may come in parts while the model continues; the end of a text waits for the whole of it.
    if (isGrowing(piece) || piece.end) this.#settle(piece.agent)
    const text = this.#gather(piece)
    if (piece.type === 'thinking') this.#collected.push(piece)
    else if (isGrowing(piece)) this.#collected.push(piece.end ? { ...piece, input: text } : piece)
    else if (piece.type === 'user_message') {
      if (piece.end) this.#collected.push({ ...piece, text })
    } else if (piece.end) this.#collected.push({ ...piece, text, images: this.#takeImages(piece) })
  }

  #takeText(piece: TextPiece): void {
    this.#settle(piece.agent)
    this.#gather(piece)
    if (!piece.end) {
      this.#collected.push(piece)
      return
    }
    const { start, text } = piece
    if (start || text !== '') this.#collected.push({ ...piece, end: false, interrupted: false })
    this.#ends.set(piece.agent, { piece: { ...piece, start: false, text: '' }, citations: [] })
  }

  /** Emits the end of a text that waits for citations. */
  #settle(agent: string): void {
    const held = this.#ends.get(agent)
    if (held === undefined) return
    this.#ends.delete(agent)
    this.#collected.push({ ...held.piece, citations: held.citations })
  }

  /** Follows a block; returns the text of a call, a result or a message so far. */
  #gather(piece: Piece): string {
    const { block, text, end } = piece
    const open = this.#open.get(block) ?? { first: piece, text: '' }
    if (!isProse(piece.type)) {
      open.text += text
      this.#hold(text.length)
    }
    if (end) {
      this.#open.delete(block)
      this.#heldLength -= open.text.length
    } else this.#open.set(block, open)
    return open.text
  }

  #hold(length: number): void {
    this.#heldLength += length
    if (this.#heldLength <= this.#maxHeldLength) return
    throw new MillraceError(
      'frame_too_large',
      `Blocks that are not complete hold more than ${this.#maxHeldLength} characters.`,
    )
  }

  #keepImage(image: ImageEvent): void {
    const key = keyOf(image)
    const images = this.#images.get(key)
    if (images === undefined) this.#images.set(key, [image])
    else images.push(image)
    this.#hold(image.src.length)
  }

  #takeImages(result: ResultPiece): readonly ImageEvent[] {
    const images = this.#images.get(keyOf(result)) ?? []
    this.#images.delete(keyOf(result))
    for (const { src } of images) this.#heldLength -= src.length
    return images
  }
}

/** Checks for a block that formats show while it grows. */
export function isGrowing<Any extends Piece>(
  piece: Any,
): piece is Any & (TextPiece | ThinkingPiece | CallPiece) {
  return traitsOfEvent(piece.type)?.grows === true
}

function keyOf({ agent, callId }: ImageEvent | ResultPiece): string {
  return `${agent}\n${callId}`
}
