import { useMemo } from 'react'
import { useKept } from '../../ui/index.ts'
import type { PayloadView } from '../../ui/text/index.ts'
import { measureUnseen } from './clipped-size.ts'
import type { Unseen } from './clipped-size.ts'
import type { ShownArguments } from './shown-arguments.ts'

/** How much of the arguments of a call has been shown. */
export interface Seen {
  readonly view: PayloadView
  /** Their size while a part of them is not shown; undefined once all is. */
  readonly unseen: Unseen | undefined
  readonly showAll: () => void
}

/** Follows whether all arguments of a call are shown. With other arguments that begins anew. */
export function useSeen(input: ShownArguments, asks: boolean, isRaw: boolean): Seen {
  const [wholeText, setWholeText] = useKept<string | undefined>('whole-text', undefined)
  const isWhole = wholeText === input.text
  const unseen = useMemo(
    () => (asks && !isWhole ? measureUnseen(input, isRaw) : undefined),
    [input, asks, isWhole, isRaw],
  )
  const view = isWhole ? 'whole' : asks ? 'clipped' : 'scrolled'
  return { view, unseen, showAll: () => setWholeText(input.text) }
}
