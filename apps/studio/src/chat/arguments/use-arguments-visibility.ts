import { useMemo } from 'react'
import { useKeptState } from '../../ui/index.ts'
import type { PayloadView } from '../../ui/text/index.ts'
import { measureClipped } from './clipped-size.ts'
import type { ClippedSize } from './clipped-size.ts'
import type { ShownArguments } from './shown-arguments.ts'

/** How much of the arguments of a call has been shown. */
export interface ArgumentsVisibility {
  readonly view: PayloadView
  /** Their size while a part of them is not shown; undefined once all is. */
  readonly unseen: ClippedSize | undefined
  readonly showAll: () => void
}

/** Follows whether all arguments of a call are shown. With other arguments that begins anew. */
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
