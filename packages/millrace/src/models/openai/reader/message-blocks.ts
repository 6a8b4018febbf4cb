import type { ContentBlock } from '../../../events/index.ts'
import { isJsonObject, type JsonObject } from '../../../json/index.ts'
import { type OpenBlock, OpenBlocks, type Prose } from '../../stream/index.ts'

interface OpenProse extends OpenBlock {
  /** The provider's details of thinking. */
  details?: JsonObject[]
  citations?: JsonObject[]
}

/** Writes the blocks of one message of chat completions. */
export class MessageBlocks extends OpenBlocks {
  #prose: OpenProse | undefined

  /** The open text or thinking block, if any. */
  get prose(): OpenProse | undefined {
    return this.#prose
  }

  /** Appends to the open text or thinking block, or opens it with these fields. */
  write(kind: Prose, text: string, fields: JsonObject = {}): void {
    if (text !== '') this.append(this.openProse(kind, fields), text)
  }

  /** Returns the open block of a kind. Ends one of the other kind first. */
  openProse(kind: Prose, fields: JsonObject = {}): OpenProse {
    if (this.#prose?.kind === kind) return this.#prose
    this.endProse()
    this.#prose = this.open(kind, { type: kind, [kind]: '', ...fields })
    return this.#prose
  }

  endProse(): void {
    const open = this.#prose
    if (open === undefined) return
    this.#prose = undefined
    this.end(open, toProse(open))
  }

  cite(open: OpenProse, citation: JsonObject): void {
    open.citations ??= []
    open.citations.push(citation)
    this.emit({ type: 'block_citation', block: open.block, citation })
  }

  close(): ReturnType<OpenBlocks['closeWith']> {
    return this.closeWith(toProse)
  }
}

function toProse({ start, text, details, citations }: OpenProse): ContentBlock {
  return {
    ...start,
    [start.type]: text,
    ...(details !== undefined && toOwnFields(start, { reasoning_details: details })),
    ...(citations !== undefined && { citations }),
  }
}

/**
 * The block field for data of chat completions that must be sent back: the field of reasoning, its details, the
 * signature of a call. With one name, models of other APIs can remove it.
 */
const OWN = 'openai'

/** Returns the chat completions fields of a block. */
export function ownFieldsOf(block: ContentBlock): JsonObject {
  const own = block[OWN]
  return isJsonObject(own) ? own : {}
}

/** Adds chat completions fields to those of a block. Spread the result into the block. */
export function toOwnFields(block: ContentBlock | undefined, fields: JsonObject): JsonObject {
  return { [OWN]: { ...(block !== undefined && ownFieldsOf(block)), ...fields } }
}
