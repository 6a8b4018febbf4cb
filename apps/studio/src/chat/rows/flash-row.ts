/** Highlights a row briefly. */
export function flashRow(row: Element | undefined): void {
  const frame = (color: string) => ({ outline: `3px solid ${color}`, outlineOffset: '4px' })
  row?.animate([frame('var(--warn-line)'), frame('transparent')], 1_600)
}
