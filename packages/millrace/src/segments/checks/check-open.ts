import { foldText } from '../characters.ts'
import type { Open, TagOpen } from '../format.ts'
import {
  checkChoice,
  checkFolding,
  checkKind,
  checkTag,
  checkTexts,
  type FormatPath,
  rejectFormat,
} from './check-text.ts'

const kinds = ['literal', 'tag', 'assign', 'header', 'pair', 'probe']
const places = ['anywhere', 'line', 'stream']

/** Rejects an opener that can never be found, or that matches everywhere. */
export function checkOpen(place: FormatPath, open: Open): void {
  checkKind(place, 'open', open, kinds)
  if ('literal' in open) checkLiteral(place, open)
  else if ('tag' in open) checkTagOpen(place, open)
  else if ('assign' in open) checkTexts(place, 'The opener', [open.assign, open.end ?? '>'])
  else if ('header' in open) checkTexts(place, 'The marker of the header', [open.header, open.end])
  else if ('pair' in open) checkPair(place, open.pair)
  else checkProbe(place, open)
}

function checkLiteral(place: FormatPath, open: Extract<Open, { literal: unknown }>): void {
  const openers = [open.literal].flat()
  if (openers.length === 0) rejectFormat(place, 'there is no opener. Give at least one.')
  checkTexts(place, 'The opener', openers)
  checkChoice(place, 'at', open.at, places)
}

function checkTagOpen(
  place: FormatPath,
  { tag, prefix, end, anyCase, require: attributes }: TagOpen,
): void {
  const tags = [tag].flat()
  if (tags.length === 0) rejectFormat(place, 'there is no tag. Give at least one name.')
  for (const name of tags) if (name !== '*') checkTag(place, 'The tag', name, anyCase)
  checkTexts(place, 'The prefix or end of the tag', [prefix ?? '<', end ?? '>'])
  checkFolding(place, 'The prefix', prefix ?? '<', anyCase)
  checkTexts(place, 'The name of a required attribute', attributes)
}

function checkPair(place: FormatPath, pair: readonly unknown[]): void {
  if (pair.length !== 3)
    rejectFormat(place, 'a pair has three markers: keyOpen, keyClose, valueOpen.')
  checkTexts(place, 'A marker of the pair', pair)
}

function checkProbe(place: FormatPath, open: Extract<Open, { probe: unknown }>): void {
  if (typeof open.probe !== 'function') rejectFormat(place, 'probe must be a generator function.')
  if (typeof open.first !== 'string' || open.first === '')
    rejectFormat(place, 'a probe needs in `first` the characters with which its block may begin.')
  checkChoice(place, 'at', open.at, places)
}

/** Returns the openers that are texts, for comparison with closers. */
export function openersOf(open: Open): readonly string[] {
  if ('literal' in open) return [open.literal].flat()
  if ('assign' in open) return [open.assign]
  return 'header' in open ? [open.header] : []
}

/** Checks whether an opener carries a name: the name of its tag, or the text after its `=`. */
export function carriesName(open: Open): boolean {
  return 'tag' in open || 'assign' in open || 'pair' in open
}

/** Returns keys that are equal for equal openers; none for an opener without a marker. */
export function signaturesOf(open: Open): readonly string[] {
  if ('probe' in open) return []
  if ('literal' in open) return [open.literal].flat()
  if ('assign' in open) return [open.assign]
  if ('header' in open) return [open.header]
  if ('pair' in open) return [open.pair[0]]
  const { prefix = '<', require: needed = [], anyCase = false } = open
  const attributes = needed.toSorted().map((name) => ` ${name}=`)
  return [open.tag]
    .flat()
    .map((tag) => prefix + (anyCase ? foldText(tag) : tag) + attributes.join(''))
}
