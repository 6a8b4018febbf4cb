import { useState } from 'react'
import type { CallBlock, ResultBlock } from 'millrace'
import { findChange } from '../diff/find-change.ts'
import type { Change } from '../diff/find-change.ts'
import { inputOf } from '../edited-input.tsx'
import { readShownInput } from './input-shapes.ts'
import type { ShownInput } from './input-shapes.ts'
import { readShownResult } from './result-shapes.ts'
import type { ShownResult } from './result-shapes.ts'

/** What goes into a call, as it is best read. */
export interface ShownArguments {
  /** The arguments as JSON, as far as they were written. */
  readonly text: string
  readonly value: unknown
  readonly isWhole: boolean
  /** It changes a file. */
  readonly change: Change | undefined
  /** It is a text above all. */
  readonly shown: ShownInput | undefined
}

/** What goes into a call: while it is written each piece of it is read once, and once when it is whole. */
export function useShownArguments(block: CallBlock, edited: string | undefined): ShownArguments {
  const [read] = useState(createArgumentsReader)
  return read(block, edited)
}

/** Creates a reader that gives the same again as long as the arguments of its call are the same. */
export function createArgumentsReader(): typeof readArguments {
  let key: readonly unknown[] = []
  let last: ShownArguments | undefined
  return (block, edited) => {
    // A whole call gets a new block with each word on how far it is, and with its result.
    const next = [block.done ? block.text : block, block.name, edited]
    if (!last || next.some((part, index) => part !== key[index]))
      last = readArguments(block, edited)
    key = next
    return last
  }
}

function readArguments(block: CallBlock, edited: string | undefined): ShownArguments {
  const isWhole = block.done || edited !== undefined
  const value = inputOf(block, edited)
  const change = isWhole ? findChange(value) : undefined
  const shown = change ? undefined : readShownInput(block.name, value, isWhole)
  return { text: edited ?? block.text, value, isWhole, change, shown }
}

/** A card and what is in it ask both, and again when they are drawn anew. */
const results = new WeakMap<ResultBlock, ShownResult | undefined>()

/** What came out of a call, if it has a shape that can be read better than its JSON; each result is read once. */
export function toShownResult(result: ResultBlock | undefined): ShownResult | undefined {
  if (!result?.done) return undefined
  if (!results.has(result)) results.set(result, readShownResult(result.text))
  return results.get(result)
}

/** Tells whether what is shown of a call is not the very JSON that was sent. */
export function isMadeForReading(
  { text, isWhole, change, shown }: ShownArguments,
  result: ResultBlock | undefined,
  shownResult: ShownResult | undefined,
): boolean {
  if (!isWhole) return false
  if (change || shown || shownResult) return true
  // Line ends in strings are shown as such.
  return text.includes(BREAK) || (result?.done === true && isBroken(result.text))
}

const BREAK = String.raw`\n`

function isBroken(text: string): boolean {
  return /^\s*[[{]/.test(text) && text.includes(BREAK)
}
