import { useEffect, useRef } from 'react'

/** Actions of the keys. */
export interface StepKeys {
  readonly move: (steps: number) => void
  readonly toggle: () => void
}

/** Steps by key; Shift extends the arrows. */
const moves: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  'Shift+ArrowLeft': -10,
  'Shift+ArrowRight': 10,
  Home: -Infinity,
  End: Infinity,
}

/** Handles the arrows, Home, End and the space bar unless the focused element uses them. */
export function useStepKeys(keys: StepKeys, isShown: boolean): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  }, [keys])
  useEffect(() => {
    if (!isShown) return undefined
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || hasOwnKeys(event.target, event.key))
        return
      const steps = moves[event.shiftKey ? `Shift+${event.key}` : event.key]
      if (steps !== undefined) latest.current.move(steps)
      else if (event.key === ' ') latest.current.toggle()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [isShown])
}

/**
 * Reports whether an element uses a key: fields use all, buttons and links the space bar, scrolling areas all but the
 * horizontal arrows.
 */
function hasOwnKeys(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof Element)) return false
  if (target.closest('input, textarea, select') !== null) return true
  if (key === ' ') return target.closest('button, a, summary, [tabindex]') !== null
  return !key.startsWith('Arrow') && target.closest('[tabindex]') !== null
}
