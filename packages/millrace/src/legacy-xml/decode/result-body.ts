import { bodyPieces, isBlank, unescapeResultSection } from '../escaping/cdata.ts'
import { decodeEntities } from '../escaping/entities.ts'
import { type RawAttributes, readOpenTag } from './open-tag.ts'

/** The content of a tool result. */
export interface ResultBody {
  readonly text: string
  readonly images: readonly RawAttributes[]
}

const NESTED = /<(?:text|image)(?=[\s/>])|<\/(?:text|image)\s*>/g

/** Reads the text and the images of a tool result, inside tags or bare. [XML-8] [XML-11] */
export function readResultBody(body: string): ResultBody {
  const images: RawAttributes[] = []
  const pieces: string[] = []
  let isMarkedUp = false
  let textCount = 0

  function addCharacters(text: string): void {
    if (!isBlank(text)) pieces.push(decodeEntities(text))
  }

  function addTag(name: string, attributes: RawAttributes): void {
    if (name === 'image') images.push(attributes)
    // The old system joined several texts as lines.
    else if (textCount++ > 0) pieces.push('\n')
  }

  function addMarkup(text: string): void {
    let at = 0
    for (const found of text.matchAll(NESTED)) {
      const isCloser = found[0].startsWith('</')
      const tag = isCloser ? undefined : readOpenTag(text, found.index)
      if (!isCloser && tag === undefined) continue
      isMarkedUp = true
      addCharacters(text.slice(at, found.index))
      if (tag !== undefined) addTag(tag.name, tag.attributes)
      at = tag?.end ?? found.index + found[0].length
    }
    addCharacters(text.slice(at))
  }

  for (const { kind, text } of bodyPieces(body)) {
    if (kind === 'characters') addMarkup(text)
    else {
      isMarkedUp = true
      pieces.push(unescapeResultSection(text))
    }
  }
  return { text: isMarkedUp ? pieces.join('') : decodeEntities(body), images }
}
