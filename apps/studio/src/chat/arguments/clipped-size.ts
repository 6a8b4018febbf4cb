import { toPrettyText } from '../../json/index.ts'
import { clipText, countLines } from '../../text/index.ts'
import { FIRST_LINES, countDiffLines } from '../diff/index.ts'
import { formatRawJson } from './raw-json.tsx'
import type { ShownArguments } from './shown-arguments.ts'

/** Size of arguments that a card clips. */
export interface ClippedSize {
  readonly lines: number
  readonly characters: number
}

/** Measures the arguments if a clipping card does not show all of them; otherwise undefined. */
export function measureClipped(input: ShownArguments, isRaw: boolean): ClippedSize | undefined {
  const texts = listTexts(input, isRaw)
  const files = isRaw ? [] : (input.change?.files ?? [])
  const isAllShown =
    texts.every((text) => clipText(text).hiddenCharacters === 0) &&
    files.every((file) => countDiffLines(file) <= FIRST_LINES.clipped)
  if (isAllShown) return undefined
  return {
    lines: sum(texts, countLines) + sum(files, countDiffLines),
    characters: sum(texts, ({ length }) => length),
  }
}

/** Lists the texts as the card draws them. */
function listTexts({ text, change, shown }: ShownArguments, isRaw: boolean): readonly string[] {
  if (isRaw) return [formatRawJson(text)]
  if (!change && !shown) return [toPrettyText(text)]
  const rest = (change ?? shown)?.rest ?? {}
  const others = Object.keys(rest).length === 0 ? [] : [toPrettyText(JSON.stringify(rest))]
  return shown ? [shown.text, ...others] : others
}

function sum<T>(items: readonly T[], sizeOf: (item: T) => number): number {
  return items.reduce((total, item) => total + sizeOf(item), 0)
}

/** Returns the label of the button that shows all arguments, such as `Show all 200 lines`. */
export function describeShowAll({ lines, characters }: ClippedSize): string {
  return lines > 1
    ? `Show all ${lines.toLocaleString('en')} lines`
    : `Show all ${characters.toLocaleString('en')} characters`
}
