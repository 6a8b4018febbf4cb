import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { type LabRun, placeOf, runLab, stepAt } from './run/index.ts'
import {
  decodeLabAddress,
  encodeLabAddress,
  type Example,
  examples,
  hasView,
  type LabSettings,
  type LabView,
  MAX_TEXT_LENGTH,
  toSettings,
} from './settings/index.ts'

/** The delay before the address changes; browsers allow some hundred changes a minute. */
const SETTLE_MS = 300

/** State of the lab and its actions. */
export interface Lab {
  readonly view: LabView
  /** The run, or the reason why there is none. */
  readonly outcome: LabOutcome
  /** The settings have changed and their run is not ready. */
  readonly isBusy: boolean
  readonly step: number
  /** Note about a shortened text; empty without one. */
  readonly notice: string
  readonly goTo: (step: number) => void
  readonly change: (changes: Partial<LabSettings>) => void
  readonly changeText: (text: string) => void
  readonly pick: (example: Example) => void
}

/** A run, or the problem of its settings. */
type LabOutcome =
  | { readonly run: LabRun; readonly problem: '' }
  | { readonly run: undefined; readonly problem: string }

/** Keeps the settings and the place, parses the text, and writes both into the page's address. */
export function useLab(isShown: boolean): Lab {
  const [view, setView] = useState(readFirstView)
  const [notice, setNotice] = useState('')
  useLabAddress(view, setView, isShown)
  // A long text takes a moment; typing continues meanwhile.
  const settings = useDeferredValue(view.settings)
  const outcome = useMemo(() => tryRun(settings), [settings])
  const { run } = outcome
  const step = run === undefined ? 0 : stepAt(run, view.place)

  const goTo = useCallback(
    (next: number) => {
      if (run !== undefined) setView((last) => ({ ...last, place: placeOf(run, next) }))
    },
    [run],
  )
  const change = useCallback((changes: Partial<LabSettings>) => {
    setView((last) => ({ ...last, settings: { ...last.settings, ...changes } }))
  }, [])
  const changeText = useCallback((given: string) => {
    const text = given.slice(0, MAX_TEXT_LENGTH)
    setNotice(text === given ? '' : toNotice(given.length))
    setView(({ settings: last }) => ({ settings: { ...last, text }, place: 'end' }))
  }, [])
  const pick = useCallback((example: Example) => {
    setNotice('')
    setView({ settings: toSettings(example), place: 'longest-hold' })
  }, [])
  const isBusy = settings !== view.settings
  return { view, outcome, isBusy, step, notice, goTo, change, changeText, pick }
}

function readFirstView(): LabView {
  const [first] = examples
  if (first === undefined) throw new Error('The lab has no examples.')
  return decodeLabAddress(location.hash, { settings: toSettings(first), place: 'longest-hold' })
}

function tryRun(settings: LabSettings): LabOutcome {
  try {
    return { run: runLab(settings), problem: '' }
  } catch (error) {
    return { run: undefined, problem: error instanceof Error ? error.message : String(error) }
  }
}

function toNotice(length: number): string {
  const most = MAX_TEXT_LENGTH.toLocaleString('en')
  return `The text has ${length.toLocaleString('en')} characters; the lab keeps the first ${most}.`
}

/** Writes the view into the page's address, and shows the view of an address that the user enters. */
function useLabAddress(view: LabView, onView: (view: LabView) => void, isShown: boolean): void {
  const latest = useRef(view)

  useEffect(() => {
    latest.current = view
    if (!isShown) return undefined
    const timer = setTimeout(() => writeAddress(view), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [view, isShown])

  useEffect(() => {
    if (!isShown) return undefined
    const onHashChange = () => {
      if (hasView(location.hash)) onView(decodeLabAddress(location.hash, latest.current))
      else if (location.hash === '#lab') writeAddress(latest.current)
    }
    addEventListener('hashchange', onHashChange)
    return () => removeEventListener('hashchange', onHashChange)
  }, [isShown, onView])
}

function writeAddress(view: LabView): void {
  const { hash } = encodeLabAddress(view)
  if (location.hash !== hash) history.replaceState(null, '', hash)
}
