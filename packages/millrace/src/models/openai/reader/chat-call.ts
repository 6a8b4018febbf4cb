import type { ContentBlock } from '../../../events/index.ts'
import {
  createPartialJson,
  isJsonObject,
  type JsonObject,
  parseJsonObject,
  type PartialJson,
} from '../../../json/index.ts'
import type { CallDelta } from './call-delta.ts'
import type { OpenBlock } from '../../stream/index.ts'
import type { MessageBlocks } from './message-blocks.ts'
import { toOwnFields } from './own-fields.ts'

/** A call of the message, from its first delta to its end. */
export class ChatCall {
  /** The provider's id. Later deltas may refer to it. */
  id = ''
  name = ''
  ended = false
  readonly #blocks: MessageBlocks
  readonly #createId: (given: string) => string
  /** Parses the arguments, to detect when they are complete. */
  readonly #json: PartialJson = createPartialJson()
  #open: OpenBlock | undefined
  /** Arguments received before the name. */
  #early = ''
  #extra: JsonObject | undefined

  constructor(blocks: MessageBlocks, createId: (given: string) => string) {
    this.#blocks = blocks
    this.#createId = createId
  }

  get isComplete(): boolean {
    return this.#json.status === 'complete' && isJsonObject(this.#json.value)
  }

  get isEmpty(): boolean {
    return this.#json.length === 0
  }

  take({ id, name, text, extra }: CallDelta): void {
    if (this.id === '') this.id = id
    if (this.name === '') this.name = name
    if (extra !== undefined) this.#extra = { ...this.#extra, ...extra }
    this.#json.feed(text)
    if (this.name === '') this.#early += text
    else this.#blocks.append(this.#begin(), text)
  }

  /** Ends the call. Adds a notice if its arguments are not a JSON object. */
  end(): void {
    this.ended = true
    if (this.name === '') {
      this.#blocks.note('A call without a name was ignored.', { arguments: this.#early })
      return
    }
    const open = this.#begin()
    if (open.text === '') this.#blocks.append(open, '{}')
    // Input that the partial parser rejected, such as very deep nesting, may still be an object.
    const input = this.isComplete ? this.#json.value : parseJsonObject(open.text)
    if (input === undefined) {
      const message = `The input of ${this.name} is not a JSON object; its text is kept as the model wrote it.`
      this.#blocks.note(message)
    }
    this.#blocks.end(open, this.#toContent(open, isJsonObject(input) ? input : {}), open.text)
  }

  #toContent({ start }: OpenBlock, input: JsonObject): ContentBlock {
    const own = this.#extra === undefined ? {} : toOwnFields(start, this.#extra)
    return { ...start, input, ...own }
  }

  #begin(): OpenBlock {
    if (this.#open !== undefined) return this.#open
    const { name } = this
    const id = this.#createId(this.id)
    this.#open = this.#blocks.open('tool_call', { type: 'tool_use', id, name, input: {} })
    this.#blocks.append(this.#open, this.#early)
    this.#early = ''
    return this.#open
  }
}
