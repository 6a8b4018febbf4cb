import type { Random } from './random.ts'

/** Words with the preceding space; text without spaces is split after twelve characters. */
const wordPattern = /\s*\S{1,12}|\s+/gu

const jsonPieces = /.{1,9}/gsu

/** Splits text into chunks of one to three words, as models do; joined, they are the text. */
export function splitText(text: string, random: Random): string[] {
  return group(text.match(wordPattern) ?? [], () => random.between(1, 3))
}

/** Splits JSON into short chunks after the empty one with which the API begins. */
export function splitJson(json: string, random: Random): string[] {
  return ['', ...group(json.match(jsonPieces) ?? [], () => random.between(1, 2))]
}

function group(parts: readonly string[], size: () => number): string[] {
  const groups: string[] = []
  for (let start = 0; start < parts.length;) {
    const end = start + size()
    groups.push(parts.slice(start, end).join(''))
    start = end
  }
  return groups
}
