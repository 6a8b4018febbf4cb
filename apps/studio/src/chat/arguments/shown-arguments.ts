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

/** Arguments of a call, prepared for display. */
export interface ShownArguments {
  /** The arguments as JSON, as far as they were written. */
  readonly text: string
  readonly value: unknown
  readonly isWhole: boolean
  /** Change of a file, if the arguments describe one. */
  readonly change: Change | undefined
  /** Text, if the arguments mainly are text. */
  readonly shown: ShownInput | undefined
  /** Hidden characters in the name of the tool and in complete arguments. */
  readonly hidden: readonly HiddenCharacter[]
  /** Words of complete arguments that mix letters of two scripts. */
  readonly lookalikes: readonly Lookalike[]
}

/**
 * Returns the arguments that the server asks to approve, as JSON. The call runs with these, and a log may have lost the
 * beginning of the model's text.
 */
export function useAwaitedText(
  pending: Pick<PendingTool, 'input'> | undefined,
): string | undefined {
  const isAsked = pending !== undefined
  const input = pending?.input
  return useMemo(() => (isAsked ? JSON.stringify(input ?? {}) : undefined), [isAsked, input])
}

/** Prepares the arguments of a call: each piece once while they grow, and once more when they are complete. */
export function useShownArguments(block: CallBlock, edited: string | undefined): ShownArguments {
  const [read] = useState(createArgumentsReader)
  return read(block, edited)
}

/** Creates a reader that returns the same object while the arguments of its call are the same. */
export function createArgumentsReader(): typeof readArguments {
  let key: readonly unknown[] = []
  let last: ShownArguments | undefined
  return (block, edited) => {
    // A complete call gets a new block with each status and with its result.
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

/** Prepares arguments that have no call in the log, from their JSON. */
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
