import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'
import { defaultLimits } from '../limits.ts'
import type { ParameterTypes } from '../parameter-types.ts'
import { coerceArguments, decodeJson } from '../calls/typed-json.ts'
import { decodeEntities } from './decode-entities.ts'
import { pairXmlTags, type XmlPairs } from './xml-pairs.ts'
import { toLiteralText, toXmlTokens, type XmlTokenKind, type XmlTokens } from './xml-tokens.ts'

interface XmlArgumentsOptions {
  readonly types?: ParameterTypes
  /** Whether the body was cut, so that open tags count as closed at its end. */
  readonly truncated?: boolean
  /** Deeper nested markup stays text. */
  readonly maxDepth?: number
}

/**
 * Parses the arguments in the XML of a `<tool>`, in time linear in the text: each tag is an argument, nested tags are an object, `<item>`
 * tags are a list, and everything else is the trimmed text. Returns undefined if `<arguments>` contains invalid JSON.
 */
export function toXmlArguments(
  text: string,
  { types = {}, truncated = false, maxDepth = defaultLimits.maxDepth }: XmlArgumentsOptions = {},
): JsonObject | undefined {
  const body = new XmlBody({ text, truncated, maxDepth })
  const values = body.toArguments(types)
  return values === undefined ? undefined : coerceArguments(values, types, maxDepth)
}

interface Content {
  /** The tokens that open its direct child elements. */
  readonly elements: readonly number[]
  /** Whether it contains anything but elements and white space. */
  readonly hasText: boolean
}

class XmlBody {
  readonly #text: string
  readonly #truncated: boolean
  readonly #maxDepth: number
  readonly #tokens: XmlTokens
  readonly #itemTag: number
  readonly #pairs: XmlPairs

  constructor(options: { text: string; truncated: boolean; maxDepth: number }) {
    this.#text = options.text
    this.#truncated = options.truncated
    this.#maxDepth = options.maxDepth
    this.#tokens = toXmlTokens(options.text, options.truncated)
    this.#itemTag = this.#tokens.tagNamed('item')
    this.#pairs = pairXmlTags(this.#tokens, options.truncated)
  }

  toArguments(types: ParameterTypes): JsonObject | undefined {
    const { wrapper, end } = this.#pairs
    const { elements } = this.#content(wrapper, end)
    if (elements.length === 0 && wrapper !== -1) return this.#wrappedJson()
    return this.#toObject(elements, (index, key) =>
      Object.hasOwn(types, key) && types[key] === 'string'
        ? this.#source(index, this.#closer(index))
        : this.#value(index, 1),
    )
  }

  /** `<arguments>{"city": "Oslo"}</arguments>` */
  #wrappedJson(): JsonObject | undefined {
    const json = this.#source(this.#pairs.wrapper, this.#pairs.end)
    if (!json.startsWith('{')) return {}
    const value = decodeJson(json, { maxDepth: this.#maxDepth, truncated: this.#truncated })
    return isJsonObject(value) ? value : undefined
  }

  #value(index: number, depth: number): JsonValue {
    const closer = this.#closer(index)
    if (depth >= this.#maxDepth) return this.#source(index, closer)
    const { elements, hasText } = this.#content(index, closer)
    if (elements.length === 0) return this.#source(index, closer, { comments: false })
    if (hasText) return this.#source(index, closer)
    if (elements.every((element) => this.#isItem(element))) {
      return elements.map((element) => this.#value(element, depth + 1))
    }
    return this.#toObject(elements, (element) => this.#value(element, depth + 1))
  }

  /** An entry makes `__proto__` an own property, and the last value of a name counts. */
  #toObject(
    elements: readonly number[],
    toValue: (element: number, key: string) => JsonValue,
  ): JsonObject {
    const entries = elements.map((element): [string, JsonValue] => {
      const key = this.#tokens.keyOf(element)
      return [key, toValue(element, key)]
    })
    return Object.fromEntries(entries)
  }

  #isItem(index: number): boolean {
    const isTag = this.#tokens.tagOf(index) === this.#itemTag
    return isTag && this.#tokens.keyOf(index).toLowerCase() === 'item'
  }

  /** Reads the content between two tokens; the content of child elements is skipped. */
  #content(from: number, to: number): Content {
    const elements: number[] = []
    let hasText = false
    let at = this.#endOf(from)
    for (let index = from + 1; index < to; index++) {
      const kind = this.#tokens.kindOf(index)
      const closer = this.#closer(index)
      const isElement = closer !== -1 && closer <= to
      if (!isElement && !isSection(kind)) continue
      hasText ||= kind === 'literal' || this.#hasText(at, this.#startOf(index))
      if (isElement) elements.push(index)
      if (isElement) index = closer
      at = this.#endOf(index)
    }
    return { elements, hasText: hasText || this.#hasText(at, this.#startOf(to)) }
  }

  /** Returns the source between two tokens, trimmed, with entities and CDATA decoded. */
  #source(from: number, to: number, { comments = true } = {}): string {
    const parts: string[] = []
    let at = this.#endOf(from)
    for (let index = from + 1; index < to; index++) {
      const kind = this.#tokens.kindOf(index)
      if (!isSection(kind) || (kind === 'comment' && comments)) continue
      const start = this.#startOf(index)
      const end = this.#endOf(index)
      parts.push(decodeEntities(this.#text.slice(at, start)))
      if (kind === 'literal') parts.push(toLiteralText(this.#text, start, end))
      at = end
    }
    const rest = decodeEntities(this.#text.slice(at, this.#startOf(to)))
    return copySlice(`${parts.join('')}${rest}`.trim(), this.#text)
  }

  #closer(index: number): number {
    return this.#pairs.closers[index] ?? -1
  }

  #hasText(start: number, end: number): boolean {
    return this.#text.slice(start, end).trim() !== ''
  }

  #startOf(index: number): number {
    return index < this.#tokens.length ? this.#tokens.startOf(index) : this.#text.length
  }

  #endOf(index: number): number {
    if (index === -1) return 0
    return index < this.#tokens.length ? this.#tokens.endOf(index) : this.#text.length
  }
}

function isSection(kind: XmlTokenKind): boolean {
  return kind === 'literal' || kind === 'comment'
}

/** Copies a short slice, which would keep the whole source alive. */
function copySlice(piece: string, source: string): string {
  return piece.length * 2 < source.length ? ` ${piece}`.slice(1) : piece
}
