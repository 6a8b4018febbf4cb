import { createPartialJson, type JsonValue, type PartialJson } from '../../json/index.ts'
import { decodeJson } from '../decode-json.ts'
import { TextBuilder } from '../text-builder.ts'

type CallContent = { readonly json: JsonValue } | { readonly text: string }

/** The content of one call as it arrives: JSON is decoded incrementally, any other text is kept. */
export class CallBody {
  readonly #maxDepth: number
  #json: PartialJson | undefined
  #text: TextBuilder | undefined

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth
  }

  add(delta: string): void {
    if (this.#json !== undefined) this.#json.feed(delta)
    else if (this.#text !== undefined) this.#text.add(delta)
    else this.#begin(delta.trimStart())
  }

  /** Ends the content and returns it; undefined if it began as JSON and is invalid. */
  finish({ truncated }: { readonly truncated: boolean }): CallContent | undefined {
    if (this.#json === undefined) return this.#finishText(truncated)
    if (!truncated) this.#json.finish()
    const isUsable = truncated || this.#json.status === 'complete'
    return isUsable ? toJsonContent(this.#json.value) : undefined
  }

  #begin(start: string): void {
    if (start === '') return
    if (beginsJson(start)) this.#json = createPartialJson({ maxDepth: this.#maxDepth })
    else this.#text = new TextBuilder()
    this.add(start)
  }

  /** Some servers encode arguments twice: `"{\"city\": \"Oslo\"}"`. */
  #finishText(truncated: boolean): CallContent | undefined {
    const options = { maxDepth: this.#maxDepth, truncated }
    const text = this.#text?.toString() ?? ''
    const quoted = text.startsWith('"') ? decodeJson(text, options) : undefined
    if (typeof quoted !== 'string' || !beginsJson(quoted.trimStart())) return { text }
    return toJsonContent(decodeJson(quoted, options))
  }
}

function toJsonContent(json: JsonValue | undefined): CallContent | undefined {
  return json === undefined ? undefined : { json }
}

function beginsJson(text: string): boolean {
  return text.startsWith('{') || text.startsWith('[')
}
