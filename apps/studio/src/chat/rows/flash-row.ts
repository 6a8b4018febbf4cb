/** Shows for a moment which row it is. */
export function flashRow(row: Element | undefined): void {
  const frame = (colour: string) => ({ outline: `3px solid ${colour}`, outlineOffset: '4px' })
  row?.animate([frame('var(--warn-line)'), frame('transparent')], 1_600)
}
