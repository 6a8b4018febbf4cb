import { useEffect, useRef } from 'react'
import { useStudio } from '../session/index.ts'
import { flashRow, useReveal } from './rows/index.ts'

/** Follows jumps to blocks and focuses the link back to the wire. */
export function useJumpTarget(): void {
  const { jumps } = useStudio()
  const reveal = useReveal()
  const latest = useRef(reveal)
  useEffect(() => {
    latest.current = reveal
  })
  useEffect(
    () =>
      jumps.chat.subscribe((place) => {
        void latest.current(place).then((row) => {
          flashRow(row)
          row?.querySelector<HTMLElement>(':scope > .show-in-wire')?.focus({ preventScroll: true })
        })
      }),
    [jumps],
  )
}
