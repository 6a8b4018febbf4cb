import { nextFrame } from './next-frame.ts'
import { showPane } from './panes.ts'

/** Shows the chat or the wire, unless it can be seen beside what is shown; settles when it is there. */
export async function bringPane(pane: 'chat' | 'wire'): Promise<void> {
  const element = document.querySelector(`.${pane}-pane`)
  if (element?.checkVisibility({ visibilityProperty: true }) === true) return
  const shown = new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }))
  showPane(pane)
  await shown
  await nextFrame()
}
