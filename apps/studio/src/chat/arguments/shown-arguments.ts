import { useMemo, useState } from 'react'
import type { CallBlock, HiddenCharacter, PendingTool } from 'millrace'
import { findChange } from '../diff/index.ts'
import type { Change } from '../diff/index.ts'
import { inputOf } from './edited-input.tsx'
import { readShownInput } from './input-shapes.ts'
import type { ShownInput } from './input-shapes.ts'
import { listHidden } from './list-hidden.ts'
import { listLookalikes } from './list-lookalikes.ts'
import type { Lookalike } from './list-lookalikes.ts'

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
  /** The hidden characters in the name of the tool and in the arguments, once they are whole. */
  readonly hidden: readonly HiddenCharacter[]
  /** The words among them in which letters of two scripts are mixed. */
  readonly lookalikes: readonly Lookalike[]
}

/**
 * The arguments that the server asks to approve, as JSON. The call runs with these, so the card shows these: a log may
 * have lost the beginning of the model's text.
 */
export function useAwaitedText(
  pending: Pick<PendingTool, 'input'> | undefined,
): string | undefined {
  const isAsked = pending !== undefined
  const input = pending?.input
  return useMemo(() => (isAsked ? JSON.stringify(input ?? {}) : undefined), [isAsked, input])
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
  return readValue(block.name, { text: edited ?? block.text, value, isWhole })
}

/** Arguments without a call in the log, from their JSON. */
export function toShownArguments(name: string, text: string): ShownArguments {
  return readValue(name, { text, value: JSON.parse(text), isWhole: true })
}

type ReadText = Pick<ShownArguments, 'text' | 'value' | 'isWhole'>

function readValue(name: string, read: ReadText): ShownArguments {
  const { value, isWhole } = read
  const change = isWhole ? findChange(value) : undefined
  const shown = change ? undefined : readShownInput(name, value, isWhole)
  const named = isWhole ? [name, value] : []
  return { ...read, change, shown, hidden: listHidden(named), lookalikes: listLookalikes(named) }
}
