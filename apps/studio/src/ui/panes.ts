import { useSyncExternalStore } from 'react'
import { nextFrame } from './next-frame.ts'

/** The views of the page, as its address names them; a wide page shows chat and wire with them, save for the lab. */
export const panes = {
  chat: 'Chat',
  wire: 'Wire',
  timeline: 'Timeline',
  sessions: 'Sessions',
  lab: 'Parser lab',
} as const

/** The name of a view. */
export type Pane = keyof typeof panes

/** The view that the page's address names: `#lab`, or `#lab?…` with what the lab shows. */
export function usePane(): Pane {
  return useSyncExternalStore(subscribe, readPane)
}

/** Goes to a view, unless it is shown. */
export function showPane(pane: Pane): void {
  if (readPane() !== pane) location.hash = pane
}

function readPane(): Pane {
  const name = location.hash.slice(1).split('?')[0] ?? ''
  return isPane(name) ? name : 'chat'
}

function isPane(name: string): name is Pane {
  return Object.hasOwn(panes, name)
}

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener)
  return () => removeEventListener('hashchange', listener)
}

/** Shows the chat or the wire, unless it can be seen beside what is shown; settles when it is there. */
export async function bringPane(pane: 'chat' | 'wire'): Promise<void> {
  const element = document.querySelector(`.${pane}-pane`)
  if (element?.checkVisibility({ visibilityProperty: true }) === true) return
  const shown = new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }))
  showPane(pane)
  await shown
  await nextFrame()
}
