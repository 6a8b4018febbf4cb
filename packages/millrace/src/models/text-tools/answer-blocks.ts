import type { ContentBlock } from '../../events/index.ts'
import type { JsonObject } from '../../json/index.ts'
import { type OpenBlock, OpenBlocks, type Prose } from '../stream/index.ts'

/** Writes the blocks of an answer in which calls may be text. */
export class AnswerBlocks extends OpenBlocks {
  #prose: OpenBlock | undefined
  /** White space at the start of a text; alone it is no text. */
  #space = ''
  /** Sources of the open or next text. */
  #citations: JsonObject[] = []

  /** Continues the open text or thinking, or begins it. */
  write(kind: Prose, text: string): void {
    if (this.#prose?.kind !== kind) this.#beginProse(kind, text)
    else this.append(this.#prose, text)
  }

  /** Adds a source to the open text, or to the next one. */
  cite(citation: JsonObject): void {
    this.#citations.push(citation)
    if (this.#prose?.kind === 'text') this.#emitCitation(this.#prose, citation)
  }

  endProse(): void {
    this.#space = ''
    const open = this.#prose
    if (open === undefined) return
    this.#prose = undefined
    this.end(open, this.#toProse(open))
  }

  close(): ReturnType<OpenBlocks['closeWith']> {
    return this.closeWith((open) => this.#toProse(open))
  }

  #beginProse(kind: Prose, text: string): void {
    if (this.#prose !== undefined) this.endProse()
    const space = kind === 'text' ? this.#space : ''
    this.#space = kind === 'text' && text.trim() === '' ? space + text : ''
    if (this.#space !== '') return
    this.#prose = this.open(kind, { type: kind, [kind]: '' })
    if (kind === 'text') for (const one of this.#citations) this.#emitCitation(this.#prose, one)
    this.append(this.#prose, space + text)
  }

  #emitCitation({ block }: OpenBlock, citation: JsonObject): void {
    this.emit({ type: 'block_citation', block, citation })
  }

  /** Creates the final block, with the sources if it is a text. */
  #toProse({ kind, start, text }: OpenBlock): ContentBlock {
    const block = { ...start, [start.type]: text }
    const citations = kind === 'text' ? this.#citations.splice(0) : []
    return citations.length === 0 ? block : { ...block, citations }
  }
}
