/** Shows for a moment which row it is. */
export function flashRow(row: Element | undefined): void {
  const frame = (color: string) => ({ outline: `3px solid ${color}`, outlineOffset: '4px' })
  row?.animate([frame('var(--warn-line)'), frame('transparent')], 1_600)
}
