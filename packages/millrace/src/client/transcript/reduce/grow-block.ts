import type { Envelope } from '../../../envelope/index.ts'
import type { ContentBlock } from '../block.ts'
import { stringOr } from './string-or.ts'

/** A piece of a call's arguments, with those before it. */
export interface InputPiece {
  readonly text: string
  readonly before: InputPiece | undefined
}

/** What the reducer remembers of a block beside what is shown. */
interface Growth {
  /** `text` in two parts: what is laid out, and the latest pieces. */
  readonly head: string
  readonly tail: string
  /** The last piece of a call's arguments while it is open, so that `toolInput` reads each piece once. */
  readonly lastPiece: InputPiece | undefined
}

/** A block as the reducer makes it. */
export type GrowingBlock = ContentBlock & Growth

/** What a block needs before its first message. */
export type BlockSeed = Partial<ContentBlock> &
  Pick<ContentBlock, 'type' | 'key' | 'id' | 'name' | 'compaction' | 'citations' | 'images'> &
  Growth

/** A block with one more message of it. */
export function growBlock(block: BlockSeed, envelope: Envelope): GrowingBlock {
  const { delta, final } = envelope
  const { head, lastPiece: before } = block
  const tail = block.tail + delta
  const text = head + tail
  // Reading a character makes the engine lay about 1,000 characters out as one string. Otherwise all of them stay alive, and
  // collecting garbage takes longer than everything else here.
  const isFull = tail.length > 1023 && tail.charCodeAt(0) >= 0
  // A literal takes 15 ns, a spread over 200.
  return {
    type: block.type,
    key: block.key,
    id: block.id,
    done: final,
    interrupted: final && envelope['interrupted'] === true,
    text,
    name: stringOr(envelope['name'], block.name),
    serverName: stringOr(envelope['server_name'], block.serverName),
    redacted: block.redacted || envelope['redacted'] === true,
    compaction: block.compaction,
    citations: block.citations,
    result: block.result,
    status: block.status,
    decision: block.decision,
    isError: block.isError || envelope['is_error'] === true,
    images: block.images,
    head: isFull ? text : head,
    tail: isFull ? '' : tail,
    lastPiece: final ? undefined : before && { text: delta, before },
  }
}
