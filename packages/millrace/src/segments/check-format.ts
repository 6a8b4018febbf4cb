import { checkBody } from './checks/check-body.ts'
import { checkOpen, openersOf, carriesName, signaturesOf } from './checks/check-open.ts'
import {
  checkText,
  checkTexts,
  type FormatPath,
  rejectFormat,
  within,
} from './checks/check-text.ts'
import type { FormatBlock, Format } from './format.ts'

/** Checks a format and returns it; an invalid format is rejected with the remedy. */
export function defineFormat(format: Format): Format {
  checkFormats([format])
  return format
}

/** Rejects invalid formats and invalid combinations, with the remedy. */
export function checkFormats(formats: readonly Format[]): void {
  for (const format of formats) checkFormat(format)
  checkTogether(
    formats.flatMap(({ name, blocks }) =>
      blocks.map((block, index) => ({ block, place: blockOf({ format: name, path: '' }, index) })),
    ),
  )
}

function checkFormat({ name, blocks }: Format): void {
  const place = { format: name, path: '' }
  checkText(place, 'The name of a format', name)
  if ((blocks ?? []).length === 0) rejectFormat(place, 'there are no blocks. Give at least one.')
  for (const [index, block] of blocks.entries()) checkBlock(blockOf(place, index), block)
}

function blockOf(place: FormatPath, index: number): FormatPath {
  return within(place, `block ${index + 1}`)
}

function checkBlock(place: FormatPath, { open, body, orphans }: FormatBlock): void {
  checkOpen(place, open)
  checkTexts(place, 'A marker in orphans', orphans)
  const around = { openers: openersOf(open), hasName: carriesName(open), checkBlocks }
  checkBody(place, body, around)
}

function checkBlocks(place: FormatPath, blocks: readonly FormatBlock[]): void {
  const placed = blocks.map((block, index) => ({ block, place: blockOf(place, index) }))
  for (const one of placed) checkBlock(one.place, one.block)
  checkTogether(placed)
}

interface LocatedBlock {
  readonly block: FormatBlock
  readonly place: FormatPath
}

/** Two blocks with the same opener cannot be distinguished; one block may belong to several formats. */
function checkTogether(placed: readonly LocatedBlock[]): void {
  const taken = new Map<string, LocatedBlock>()
  for (const one of placed) {
    for (const signature of signaturesOf(one.block.open)) {
      const other = taken.get(signature)
      if (other !== undefined && other.block !== one.block) rejectSame(one, other, signature)
      taken.set(signature, one)
    }
  }
}

function rejectSame({ place }: LocatedBlock, other: LocatedBlock, signature: string): never {
  const { format, path } = other.place
  const where = format === place.format ? path : `${path} of format "${format}"`
  rejectFormat(
    place,
    `it begins with "${signature}", and so does ${where}. Remove one of them, or give them one body that distinguishes the two.`,
  )
}
