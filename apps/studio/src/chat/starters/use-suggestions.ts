import { useId, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { findDemos } from './demos.ts'
import type { Demo } from './demos.ts'

/** Demos to choose from while a command is typed. */
export interface Suggestions {
  readonly demos: readonly Demo[]
  /** Position of the highlighted demo, which Enter picks; -1 for none. */
  readonly active: number
  readonly listId: string
  readonly toOptionId: (position: number) => string
  readonly pick: (demo: Demo) => void
  /** Moves in the list, picks or closes; true if the list handled the key. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean
  /** ARIA attributes of the field. */
  readonly field: Readonly<Record<string, string | undefined>>
}

/** Returns the only demo that begins with a text, unless the text is a complete command. */
function findUniqueMatch([demo, other]: readonly Demo[], text: string): Demo | undefined {
  const isWhole = `${demo?.prompt} `.startsWith(`${text.trim()} `)
  return other || isWhole ? undefined : demo
}

interface SuggestionsOptions {
  readonly text: string
  readonly isOffered: boolean
  readonly onPick: (prompt: string) => void
}

/** Suggests demos for a text. Once closed, the list stays closed until the text is removed. */
export function useSuggestions({ text, isOffered, onPick }: SuggestionsOptions): Suggestions {
  const listId = useId()
  const [closedAt, setClosedAt] = useState<string>()
  const [chosen, setChosen] = useState({ text: '', position: -1 })
  if (closedAt !== undefined && !text.startsWith(closedAt)) setClosedAt(undefined)
  const demos = isOffered && closedAt === undefined ? findDemos(text) : []
  // A choice in another list does not count.
  const active = chosen.text === text ? Math.min(chosen.position, demos.length - 1) : -1
  const toOptionId = (position: number) => `${listId}-${position}`
  const pick = ({ prompt }: Demo) => onPick(prompt)

  const move = (step: number) => {
    const count = demos.length
    const from = active < 0 && step < 0 ? 0 : active
    setChosen({ text, position: (from + step + count) % count })
  }
  const actions: Readonly<Record<string, () => boolean>> = {
    ArrowDown: () => (move(1), true),
    ArrowUp: () => (move(-1), true),
    Escape: () => (setClosedAt(text), true),
    Enter: () => {
      const demo = demos[active] ?? findUniqueMatch(demos, text)
      if (demo) pick(demo)
      return demo !== undefined
    },
  }
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (demos.length === 0 || event.nativeEvent.isComposing) return false
    const isTaken = actions[event.key]?.() === true
    if (isTaken) event.preventDefault()
    return isTaken
  }
  const field = {
    'aria-autocomplete': isOffered ? 'list' : undefined,
    'aria-controls': demos.length > 0 ? listId : undefined,
    'aria-activedescendant': active < 0 ? undefined : toOptionId(active),
  }
  return { demos, active, listId, toOptionId, pick, onKeyDown, field }
}
