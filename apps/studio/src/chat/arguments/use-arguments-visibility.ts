import { useMemo } from 'react'
import { useKeptState } from '../../ui/index.ts'
import type { PayloadView } from '../../ui/text/index.ts'
import { measureClipped } from './clipped-size.ts'
import type { ClippedSize } from './clipped-size.ts'
import type { ShownArguments } from './shown-arguments.ts'

/** State of showing the arguments of a call. */
export interface ArgumentsVisibility {
  readonly view: PayloadView
  /** Size of the arguments while a part of them is hidden. */
  readonly unseen: ClippedSize | undefined
  readonly showAll: () => void
}

/** Tracks whether all arguments of a call are shown. Other arguments reset it. */
export function useArgumentsVisibility(
  input: ShownArguments,
  isPending: boolean,
  isRaw: boolean,
): ArgumentsVisibility {
  const [wholeText, setWholeText] = useKeptState<string | undefined>('whole-text', undefined)
  const isWhole = wholeText === input.text
  const unseen = useMemo(
    () => (isPending && !isWhole ? measureClipped(input, isRaw) : undefined),
    [input, isPending, isWhole, isRaw],
  )
  const view = isWhole ? 'whole' : isPending ? 'clipped' : 'scrolled'
  return { view, unseen, showAll: () => setWholeText(input.text) }
}
