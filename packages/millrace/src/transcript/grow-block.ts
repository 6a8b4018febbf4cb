import type { Envelope } from '../envelope/index.ts'
import type { Block, ErrorBlock } from './block.ts'
import { stringOr } from './string-or.ts'

/** A block that messages are appended to. */
export type ContentBlock = Exclude<Block, ErrorBlock>

/** How much text is gathered before it is laid out. */
const PIECE_LENGTH = 1024

/** A block with one more message of it. */
export function growBlock(block: ContentBlock, envelope: Envelope): ContentBlock {
  const { delta, final: done } = envelope
  const before = block.head ?? ''
  const last = (block.tail ?? '') + delta
  const text = before + last
  // Reading a character makes the engine lay the pieces out as one string. Without it they all stay alive, and
  // collecting garbage costs more than the rest of the work.
  const isFull = last.length >= PIECE_LENGTH && last.charCodeAt(0) >= 0
  const head = isFull ? text : before
  const tail = isFull ? '' : last
  // Text is most of a stream. A literal with its fields in one order takes 15 ns, and a spread over 200.
  if (block.type === 'text') {
    const { key, id = '', interrupted, citations, compaction } = block
    return { type: 'text', key, id, done, interrupted, text, head, tail, citations, compaction }
  }
  if (block.type === 'thinking') {
    const { key, id = '', interrupted, redacted } = block
    return { type: 'thinking', key, id, done, interrupted, text, head, tail, redacted }
  }
  const name = stringOr(envelope['name'], block.name)
  const grown = { done, name, text, head, tail }
  if ('images' in block) {
    return { ...block, ...grown, isError: block.isError || envelope['is_error'] === true }
  }
  const serverName = stringOr(envelope['server_name'], block.serverName)
  const lastPiece = done ? undefined : { text: delta, before: block.lastPiece }
  return { ...block, ...grown, serverName, lastPiece }
}
