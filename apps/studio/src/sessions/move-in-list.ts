const steps: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowDown: (index, count) => Math.min(index + 1, count - 1),
  ArrowUp: (index) => index - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
}

interface Press {
  readonly key: string
  readonly currentTarget: HTMLElement
  readonly preventDefault: () => void
}

/** Moves the focus through the rows by the arrow keys; the search field is above the first row. */
export function moveInList(event: Press): void {
  const { key, currentTarget } = event
  const list = currentTarget.closest('.sessions')
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined
  if (!list || !step) return
  const links = [...list.querySelectorAll<HTMLElement>('.session > a')]
  const index = links.indexOf(currentTarget)
  // In the field other keys move the cursor.
  if (index < 0 && key !== 'ArrowDown') return
  event.preventDefault()
  const target = links[step(index, links.length)] ?? list.querySelector<HTMLElement>('input')
  target?.focus()
}
