import { useSyncExternalStore } from 'react'
import { nextFrame } from './next-frame.ts'

/** The views of the page by the names in its address; a wide page shows chat and wire with all but the lab. */
export const panes = {
  chat: 'Chat',
  wire: 'Wire',
  timeline: 'Timeline',
  sessions: 'Sessions',
  lab: 'Parser lab',
} as const

/** Name of a view. */
export type Pane = keyof typeof panes

/** Returns the view in the page's address, such as `#lab` or `#lab?…`. */
export function usePane(): Pane {
  return useSyncExternalStore(subscribe, readPane)
}

/** Switches to a view. */
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

/** Shows the chat or the wire unless it is visible; resolves when it is. */
export async function bringPane(pane: 'chat' | 'wire'): Promise<void> {
  const element = document.querySelector(`.${pane}-pane`)
  if (element?.checkVisibility({ visibilityProperty: true }) === true) return
  const shown = new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }))
  showPane(pane)
  await shown
  await nextFrame()
}
